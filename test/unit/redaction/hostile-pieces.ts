/** Text that patterns begin to match again and again. One megabyte of each is redacted in linear time. */
export const PEM = '-----BEGIN PRIVATE KEY-----';

/** Per pattern: pieces that begin a match again and again and never, or only just, complete it. */
export const PIECES: Record<string, string[]> = {
  jwt: ['eyJ', '-eyJ', ' eyJabcdefgh', 'eyJabcdef.', 'eyJabcdef.eyJa', 'eyJabcdefghij..'],
  github_token: ['ghp_', ' ghp_', ' ghp_abcdefghijklmno', ' github_pat_', 'ghp_ghp_'],
  slack_token: ['xoxb-', ' xoxb-', ' xoxb-xox'],
  aws_access_key_id: ['AKIA', ' AKIA', ' AKIAABCDEFGHIJKLMNO'],
  gitlab_token: ['glpat-', ' glpat-', ' glpat-abcdefghij.'],
  huggingface_token: ['hf_', ' hf_', ' hf_abcdefghijklmnopqrs'],
  cerebras_key: ['csk-', 'csk-abcdefghijklmno-', ' csk-', ' csk-aaaa-bbbb-cccc-ddd'],
  together_key: ['tgp_v1_', ' tgp_v1_'],
  google_api_key: ['AIza', ' AIza', ' AIza-AIza'],
  npm_token: ['npm_', ' npm_', ' npm_abcdefghijklmnopqrstuvwxyzabcdefghi'],
  openai_key: ['sk-', ' sk-', ' sk-aaaa-bbbb-cccc-dddd'],
  stripe_key: ['sk_live_', ' rk_test_', ' sk_live_abcdefghi'],
  private_key: [
    PEM,
    `${PEM}\n`,
    `${PEM}\nabcd: x`,
    `${PEM}abcdefghijklmnopqrs `,
    `${PEM}!abcdefghijklmnopqrstu `,
    `${PEM}\na: b abcdefghijklmnopqrstu `,
    '-----BEGIN ',
    '-',
    '-----END PRIVATE KEY-----',
  ],
  url_userinfo: ['://', '://@', '://a', '://a@ ', '://[redacted]@'],
  url_parameter: ['?token=', '&a_token_token', '?', '?token=[redacted]&'],
  secret_assignment: [
    'password=',
    'password=f(',
    'password=required-',
    'page_token=',
    'password:   ',
    'password="',
    'secret=====a ',
    'password: requir ',
    'cookie: a=',
    'cookie:aaaaaaaaa',
    'authorization: bearer ',
    '\\\\\\"token\\\\\\":',
  ],
  bearer_token: ['Bearer', 'Bearer ', ' bearer abcdefghijk', 'Bearer authentication '],
};

/**
 * Text that repeats a keyword of a rule (`src/redaction/rules`), in the ways that cost most: bare, as the beginning of a token, and
 * as the name of a value. The text is what a rule wants nearly, or is and is not random enough.
 */
export function keywordPieces(keyword: string): string[] {
  return [
    keyword,
    ` ${keyword}`,
    `${keyword}\n`,
    ` ${keyword}${'a'.repeat(13)}`,
    ` ${keyword}${'a1B2'.repeat(16)}`,
    ` ${keyword.toUpperCase()}0123456789ABC`,
    ` ${keyword}_key = abcdefghijklmn`,
    `${keyword}=a1b2c3d4e5f6g7`,
    ` ${keyword}${'0123456789abcdef'.repeat(20)}`,
  ];
}
