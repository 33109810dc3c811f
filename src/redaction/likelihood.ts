/** Names of paging and model tokens: they end like secrets and are none. */
const HARMLESS_TOKEN =
  /(?:page|next|prev|previous|continuation|sync|cursor|max|stop|eos|bos|pad|unk|mask|cls|sep)$/i;
const HARMLESS_NAME = /(?:page|next|prev|previous|continuation|sync|cursor)_token$/i;

/** Values that stand for a secret without being one: references, format strings, code. */
const REFERENCE = /^(?:\$[A-Z_{(]|%[sd({A-Z]|\.\.\.|x{6,}$)/;
const CODE =
  /^(?:[A-Za-z_$][\w$.]*\(|(?:process|os|env|config|settings|self|this|request|req|params|args|options|ctx|secrets|vault)\.)/;
const PLAIN_WORD =
  /^(?:authenticat|authori[sz]|credential|certificat|token|secret|password|passphrase|required|optional|undefined|disabled|enabled|missing|invalid|string|number|boolean|unknown)[a-z]*[-.:!?)]*$/i;

/** `"password": "Choose a new one"` is a label. */
const PROSE = /^[A-Za-z'-]+(?: [A-Za-z'-]+)+[ .:!?]*$/;

const ENVIRONMENT_VALUE = /^[A-Za-z!@#%^~+/=-]{8,}$/;

/** The longest harmless name has fewer characters. */
const HARMLESS_LENGTH = 16;

/** What stands before the name of a query parameter; the rule for URLs follows and keeps the rest of the URL. */
const PARAMETER_START = /[?&][A-Za-z0-9_.-]*$/;
/** The name and size of a marker, `private_key:1704`, look like an assignment. */
const MARKER_START = /<redacted:[a-z0-9_]*$/;

/** Whether `page_token`, `next_token` and the like: cursors that a client needs back. */
export function isPagingName(name: string): boolean {
  return HARMLESS_NAME.test(name);
}

/** `sk-learn-compatible-estimators` is a name; keys have digits, capitals or long runs of letters. */
export function isLikelyOpenAiKey(secret: string): boolean {
  return /[0-9A-Z]|[a-z]{16}/.test(secret.slice(3));
}

/** "Bearer authentication" is prose. */
export function isLikelyBearerToken(secret: string): boolean {
  return !PLAIN_WORD.test(secret);
}

/** Not for `page_token=`, query parameters and markers. */
export function announcesAssignedSecret(needle: string, before: string): boolean {
  if (PARAMETER_START.test(before) || MARKER_START.test(before)) return false;
  return !(/^[_-]token/i.test(needle) && HARMLESS_TOKEN.test(before.slice(-HARMLESS_LENGTH)));
}

/**
 * Tells `password=hunter2` from `password: required` and `password = readPassword()`: quoted values, values after an
 * authorization scheme and values with a digit count; a plain word only as in an environment file, `NAME=word`.
 */
export function isLikelyAssignedSecret(secret: string, needle: string): boolean {
  const last = needle.charAt(needle.length - 1);
  if (last === '"' || last === "'") return !isPhrase(secret);
  if (/[A-Za-z]\s+$/.test(needle)) return secret.length >= 8 && !isPhrase(secret);
  const looksRandom = /[0-9]/.test(secret) || (last === '=' && ENVIRONMENT_VALUE.test(secret));
  return looksRandom && !CODE.test(secret) && !isPhrase(secret);
}

/** What stands for a secret, or speaks about one. */
function isPhrase(secret: string): boolean {
  return REFERENCE.test(secret) || PLAIN_WORD.test(secret) || PROSE.test(secret);
}
