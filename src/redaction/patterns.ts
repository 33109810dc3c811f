import {
  announcesAssignedSecret,
  isLikelyAssignedSecret,
  isLikelyBearerToken,
  isLikelyOpenAiKey,
  isPagingName,
} from './likelihood.ts';
import { PLACEHOLDER } from './marker.ts';
import { PEM_NAME, PRIVATE_KEY_TAIL } from './private-key.ts';
import { SPACE, type Step, type Tail, tail } from './runs.ts';

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
  /** The class of characters that must not stand before the needle, but at the end of what was replaced. */
  notAfter?: string;
  /** What replaces the secret when it is no marker. */
  replacement?: string;
  /** Whether the needle and what stands before it announce a secret at all. */
  announces?: (needle: string, before: string) => boolean;
  /** A last look that tells secrets from ordinary words and code. Not asked about long ones. */
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
/** The ends of the words, which an expression finds faster than the words. */
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
    isLikely: isLikelyBearerToken,
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
    announces: (needle) => !isPagingName(needle.slice(1, -1)),
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
