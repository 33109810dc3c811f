import { PLACEHOLDER } from './marker.ts';
import { firstUnit, runEnd, SPACE, type Step, type Tail, tail } from './runs.ts';

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

/** Length of the longest harmless name, plus one. */
const HARMLESS_LENGTH = 16;

/** What stands before the name of a query parameter; the rule for URLs follows and keeps the rest of the URL. */
const PARAMETER_START = /[?&][A-Za-z0-9_.-]*$/;
/** The name and size of a marker, `private_key:1704`, look like an assignment. */
const MARKER_START = /<redacted:[a-z0-9_]*$/;

/** `sk-learn-compatible-estimators` is a name; keys have digits, capitals or long runs of letters. */
function isLikelyOpenAiKey(secret: string): boolean {
  return /[0-9A-Z]|[a-z]{16}/.test(secret.slice(3));
}

/** Not for `page_token=`, query parameters and markers. */
function announcesAssignedSecret(needle: string, before: string): boolean {
  if (PARAMETER_START.test(before) || MARKER_START.test(before)) return false;
  return !(/^[_-]token/i.test(needle) && HARMLESS_TOKEN.test(before.slice(-HARMLESS_LENGTH)));
}

/**
 * Distinguishes `password=hunter2` from `password: required` and `password = readPassword()`: quoted values, values after an
 * authorization scheme and values with a digit count; a plain word only as in an environment file, `NAME=word`.
 */
function isLikelyAssignedSecret(secret: string, needle: string): boolean {
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

/** What follows `-----BEGIN ` and `-----END `. */
const PEM_NAME = '[A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----';

const BREAK = String.raw`(?:\\[nr]|[${SPACE}])`;
const HEADER = String.raw`(?:${BREAK}+[A-Za-z]+(?:-[A-Za-z]+)?: (?:[^\r\n\\-]|-[^\r\n\\-])*)`;
const BASE64 = 'A-Za-z0-9+/=';
/** More characters in a line than any word has. */
const LEAST_LINE = 20;
const CUT_OFF = `${HEADER}*(?:${BREAK}*[${BASE64}]{${LEAST_LINE},})+(?:${BREAK}+[${BASE64}]+)?`;

const END_LINE = new RegExp(`-----END ${PEM_NAME}`, 'y');
const BASE64_BEGIN = new RegExp(`[${BASE64}]`, 'g');
const VALUE_END = /[\r\n\\]|-(?![^\r\n\\-])/g;
const BREAKS_END = new RegExp(String.raw`[^\\nr${SPACE}]|\\(?![nr])|(?<!\\)[nr]`, 'g');
const lineEnd = runEnd(BASE64);
const lettersEnd = runEnd('A-Za-z');

/** A private key behind its BEGIN line: closed by its END line; or cut off, and then as many header and base64 lines as follow. */
const PRIVATE_KEY_TAIL: Tail = {
  expression: `(?:(?:[^-]|-{1,4}[^-])*-----END ${PEM_NAME}|${CUT_OFF})`,
  endIn: (text, at) => closedEnd(text, at) ?? cutEnd(text, at),
};

/** Five dashes end the content of a key, whatever follows: the search is over before the next BEGIN line. */
function closedEnd(text: string, at: number): number | undefined {
  const dashes = text.indexOf('-----', at);
  if (dashes < 0) return undefined;
  END_LINE.lastIndex = dashes;
  return END_LINE.test(text) ? END_LINE.lastIndex : undefined;
}

/** A header of a key, by the places where its value begins and ends. */
interface Header {
  value: number;
  end: number;
}

/**
 * The end of all headers and the lines after them. Where no line follows, the value of the last header may hold one. Else that
 * header is none, and the one before is tried.
 */
function cutEnd(text: string, at: number): number | undefined {
  for (const header of headersIn(text, at).reverse()) {
    const end = linesEnd(text, header.end) ?? lineInValue(text, header);
    if (end !== undefined) return end;
  }
  return linesEnd(text, at);
}

function headersIn(text: string, from: number): Header[] {
  const headers: Header[] = [];
  for (let at = from; ; ) {
    const begin = breaksEnd(text, at);
    const colon = begin === at ? undefined : nameEnd(text, begin);
    if (colon === undefined) return headers;
    at = firstUnit(VALUE_END, text, colon + 2);
    headers.push({ value: colon + 2, end: at });
  }
}

/** The shortest line at the end of the value. Text that begins with a dash is part of the header. */
function lineInValue(text: string, { value, end }: Header): number | undefined {
  let line: number | undefined;
  for (let at = firstUnit(BASE64_BEGIN, text, value); at < end; at = firstUnit(BASE64_BEGIN, text, at)) {
    const begin = text.charAt(at - 1) === '-' ? at + 1 : at;
    at = lineEnd(text, at);
    if (at - begin >= LEAST_LINE) line = at - LEAST_LINE;
  }
  return line === undefined ? undefined : linesEnd(text, line);
}

/** Where `Proc-Type` ends that has `: ` behind it. */
function nameEnd(text: string, at: number): number | undefined {
  let end = lettersEnd(text, at);
  const second = text.charAt(end) === '-' ? lettersEnd(text, end + 1) : 0;
  if (second > end + 1) end = second;
  return end > at && text.startsWith(': ', end) ? end : undefined;
}

function linesEnd(text: string, from: number): number | undefined {
  let at = from;
  for (;;) {
    const begin = breaksEnd(text, at);
    const end = lineEnd(text, begin);
    const isLine = end - begin >= LEAST_LINE;
    if (isLine) at = end;
    else if (at === from) return undefined;
    else return begin > at && end > begin ? end : at;
  }
}

function breaksEnd(text: string, at: number): number {
  return firstUnit(BREAKS_END, text, at);
}

/**
 * One kind of secret. `needle` is a native expression without unbounded parts: it says where a match may begin; clean
 * text meets only the `hint`. `tail` is what of the secret stands behind the needle, so hostile text costs linear time.
 * Every unbounded part of a tail must end where the next match of the same needle could begin (or `notAfter` must
 * forbid that match): otherwise failing matches would overlap and cost quadratic time.
 */
export interface SecretPattern {
  name: string;
  /** The cheapest part of the needle that ordinary text does not contain; the needle itself by default. */
  hint?: string;
  /** A literal that every match contains; looking for it first is almost free. */
  requires?: string;
  /** Every match is a long word, or holds one (`long-words.ts`), which plain text does not. */
  isLongWord?: true;
  needle: string;
  tail: Tail;
  /** The needle is context that stays; else it is the beginning of the secret. */
  keepsNeedle?: true;
  /** A class of characters that must not come before the needle. At the end of replaced text they may. */
  notAfter?: string;
  /** What replaces the secret when it is no marker. */
  replacement?: string;
  /** Whether the needle and what stands before it announce a secret at all. */
  announces?: (needle: string, before: string) => boolean;
  /** A last check that distinguishes secrets from ordinary words and code. Long matches skip it. */
  isLikely?: (secret: string, needle: string) => boolean;
}

const ALPHANUMERIC = '[A-Za-z0-9]';
const BASE64URL_RUN = 'A-Za-z0-9_-';
const BASE64URL = `[${BASE64URL_RUN}]`;
const MARKER = '<redacted:[a-z0-9_]{1,64}:[0-9]{1,12}>';

/** Tokens that are recognised by their shape. See README.md, The rules. */
export const SHAPES: readonly SecretPattern[] = [
  {
    name: 'jwt',
    isLongWord: true,
    hint: 'eyJ',
    needle: 'eyJ[A-Za-z0-9_-]{6}',
    tail: tail(
      { of: BASE64URL_RUN },
      '.',
      { of: BASE64URL_RUN, least: 4 },
      '.',
      { of: BASE64URL_RUN },
      { repeat: ['.', { of: BASE64URL_RUN, least: 1 }], most: 2 },
    ),
    notAfter: BASE64URL,
  },
  prefixed('github_token', 'gh[pousr]_', 'A-Za-z0-9_', 16),
  prefixed('github_token', 'github_pat_', 'A-Za-z0-9_', 16),
  prefixed('slack_token', 'xox[abeprs]-', 'A-Za-z0-9-', 10),
  prefixed('aws_access_key_id', 'A(?:KIA|SIA|GPA|IDA|NPA|ROA|IPA)', '0-9A-Z', 16),
  prefixed('gitlab_token', 'glpat-', 'A-Za-z0-9_-', 10, {
    repeat: ['.', { of: BASE64URL_RUN, least: 1 }],
  }),
  prefixed('huggingface_token', 'hf_', 'A-Za-z0-9', 20),
  { ...prefixed('cerebras_key', 'csk-', 'A-Za-z0-9_-', 16), isLikely: isLikelyOpenAiKey },
  prefixed('together_key', 'tgp_v1_', 'A-Za-z0-9_-', 16),
  prefixed('google_api_key', 'AIza', '0-9A-Za-z_-', 35),
  prefixed('npm_token', 'npm_', 'A-Za-z0-9', 36),
  { ...prefixed('openai_key', 'sk-', 'A-Za-z0-9_-', 16), notAfter: BASE64URL, isLikely: isLikelyOpenAiKey },
  prefixed('stripe_key', '[rs]k_(?:live|test)_', 'A-Za-z0-9', 10),
  {
    name: 'private_key',
    requires: '-----BEGIN',
    hint: 'PRIVATE KEY',
    needle: `-----BEGIN ${PEM_NAME}`,
    tail: PRIVATE_KEY_TAIL,
  },
];

const SECRET_WORD = [
  anyCase('api[_-]?key'),
  anyCase('(?:[_-]|access|refresh|id|bearer|session|auth|csrf|xsrf)token'),
  anyCase('secret(?:[_-]?(?:access[_-]?)?key)?'),
  anyCase('passw(?:or)?d|passphrase'),
  anyCase('(?:private|account)[_-]?key'),
  anyCase('authorization'),
].join('|');
const SIGN = String.raw`\\{0,3}["'\x60]?\s{0,3}(?::=|=>|={1,3}|:)\s{0,3}`;
/** How the words end. An expression finds these faster than whole words. */
const SECRET_WORD_END = anyCase('(?:pass(?:word|wd|phrase)|token|secret|(?:_|-|e|i|s|t)key|rization)');
const ASSIGN = `(?:${SECRET_WORD})${SIGN}`;
const SCHEME = `(?:(?:${anyCase('basic|bearer|token|digest|apikey|negotiate')})\\s{1,3})?`;

/** Tokens that are recognised by what stands before them. Run after the shapes, which name things better. */
export const CONTEXTS: readonly SecretPattern[] = [
  {
    name: 'secret_assignment',
    requires: '=',
    hint: anyCase('cookie'),
    needle: `(?:${anyCase('set-')})?${anyCase('cookie')}\\s{0,3}:\\s{0,3}[^\\s=;:,"']{1,64}=`,
    tail: tail({ of: String.raw`^\r\n"'<>`, least: 4 }),
    keepsNeedle: true,
  },
  {
    name: 'secret_assignment',
    hint: SECRET_WORD_END + SIGN,
    needle: String.raw`${ASSIGN}\\{0,3}["']${SCHEME}`,
    tail: tail({ one: String.raw`^"'\\\r\n<{\[(*` }, { of: String.raw`^"'\\\r\n`, least: 5 }),
    keepsNeedle: true,
    announces: announcesAssignedSecret,
    isLikely: isLikelyAssignedSecret,
  },
  {
    name: 'secret_assignment',
    hint: SECRET_WORD_END + SIGN,
    needle: `${ASSIGN}${SCHEME}`,
    tail: tail({ one: `^${SPACE}"'\`,;&<>{}()\\[\\]|\\\\*` }, { of: `^${SPACE}"'\`,;&<>|\\\\`, least: 5 }),
    keepsNeedle: true,
    announces: announcesAssignedSecret,
    isLikely: isLikelyAssignedSecret,
  },
  {
    name: 'bearer_token',
    needle: `${anyCase('bearer')}\\s{1,4}`,
    tail: tail({ of: 'A-Za-z0-9._~+/=-', least: 12 }),
    keepsNeedle: true,
    notAfter: ALPHANUMERIC,
    // "Bearer authentication" is prose.
    isLikely: (secret) => !PLAIN_WORD.test(secret),
  },
];

const SECRET_PARAMETER = [
  `[A-Za-z0-9_.-]{0,48}(?:${SECRET_WORD})`,
  anyCase('token|sig|signature|passwd|x-(?:amz|goog)-(?:signature|credential|security-token)'),
].join('|');

/** Parts of URLs. Run last, because markers may stand in them. */
export const URL_PARTS: readonly SecretPattern[] = [
  {
    name: 'url_userinfo',
    requires: '@',
    needle: String.raw`:\/\/(?=(?:[^\s\/?#"'<>\\]|${MARKER}){1,1024}@)`,
    tail: tail({ of: String.raw`^${SPACE}/?#"'<>\\`, or: MARKER, upTo: '@' }),
    keepsNeedle: true,
    replacement: `${PLACEHOLDER}@`,
    isLikely: (secret) => secret !== `${PLACEHOLDER}@`,
  },
  {
    name: 'url_parameter',
    requires: '=',
    hint: '[?&][A-Za-z0-9_.-]{1,80}=',
    needle: `[?&](?:${SECRET_PARAMETER})=`,
    tail: tail({ of: String.raw`^&${SPACE}"'<>#\\`, or: MARKER, least: 1 }),
    keepsNeedle: true,
    replacement: PLACEHOLDER,
    // Not `page_token`, `next_token` and the like: cursors that a client needs back.
    announces: (needle) => !HARMLESS_NAME.test(needle.slice(1, -1)),
    isLikely: (secret) => secret !== PLACEHOLDER,
  },
];

function prefixed(name: string, prefix: string, of: string, least: number, ...more: Step[]): SecretPattern {
  const needle = `${prefix}[${of}]{${least}}`;
  return {
    name,
    hint: prefix,
    isLongWord: true,
    needle,
    tail: tail({ of }, ...more),
    notAfter: ALPHANUMERIC,
  };
}

/** Spells the letters of an expression (none in a class) in both cases; twice as fast as the `i` flag on the whole needle. */
function anyCase(expression: string): string {
  return expression.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`);
}
