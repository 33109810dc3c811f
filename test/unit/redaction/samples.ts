/** Secrets of every kind, put together here so that no scanner takes this file for a leak. */
export interface Sample {
  name: string;
  secret: string;
}

const MIXED = 'Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z';
const DIGEST = MIXED.repeat(3);
const PEM_BODY = `${MIXED}${MIXED}\n${MIXED}${MIXED}\n${MIXED}==`;

function pem(kind: string, lineEnd = '\n'): string {
  return `-----BEGIN ${kind}-----\n${PEM_BODY}\n-----END ${kind}-----`.replaceAll('\n', lineEnd);
}

/** Every secret of this list must become exactly one marker of its name when it stands alone. */
export const SHAPE_SAMPLES: readonly Sample[] = [
  { name: 'jwt', secret: `eyJ${MIXED}.eyJ${MIXED}.${DIGEST.slice(0, 43)}` },
  { name: 'jwt', secret: `eyJ${MIXED}.eyJ${MIXED}.` },
  { name: 'jwt', secret: `eyJ${MIXED}.${MIXED}.${MIXED}.${MIXED}.${MIXED}` },
  ...['p', 'o', 'u', 's', 'r'].map((kind) => ({
    name: 'github_token',
    secret: `gh${kind}_${DIGEST.slice(0, 36)}`,
  })),
  { name: 'github_token', secret: `github_pat_${DIGEST.slice(0, 22)}_${DIGEST.slice(0, 59)}` },
  ...['a', 'b', 'p', 'r', 's'].map((kind) => ({
    name: 'slack_token',
    secret: `xox${kind}-123456789012-123456789012-${MIXED.slice(0, 24)}`,
  })),
  ...['AKIA', 'ASIA', 'AGPA', 'AIDA', 'ANPA', 'AROA', 'AIPA'].map((prefix) => ({
    name: 'aws_access_key_id',
    secret: `${prefix}${'Q3EGZ7T5XN2WLK4J'}`,
  })),
  { name: 'gitlab_token', secret: `glpat-${MIXED.slice(0, 20)}` },
  { name: 'gitlab_token', secret: `glpat-${MIXED.slice(0, 27)}.01.${MIXED.slice(0, 9)}` },
  { name: 'huggingface_token', secret: `hf_${DIGEST.slice(0, 34)}` },
  { name: 'cerebras_key', secret: `csk-${DIGEST.slice(0, 48).toLowerCase()}` },
  { name: 'together_key', secret: `tgp_v1_${DIGEST.slice(0, 43)}` },
  { name: 'google_api_key', secret: `AIza${DIGEST.slice(0, 35)}` },
  { name: 'npm_token', secret: `npm_${DIGEST.slice(0, 36)}` },
  { name: 'openai_key', secret: `sk-${DIGEST.slice(0, 48)}` },
  { name: 'openai_key', secret: `sk-proj-${DIGEST.slice(0, 40)}_${MIXED}-${MIXED}` },
  { name: 'openai_key', secret: `sk-${'q'.repeat(40)}` },
  ...['rk_live', 'rk_test', 'sk_live', 'sk_test'].map((kind) => ({
    name: 'stripe_key',
    secret: `${kind}_${DIGEST.slice(0, 24)}`,
  })),
  { name: 'private_key', secret: pem('PRIVATE KEY') },
  { name: 'private_key', secret: pem('RSA PRIVATE KEY') },
  { name: 'private_key', secret: pem('ENCRYPTED PRIVATE KEY', '\r\n') },
  { name: 'private_key', secret: pem('OPENSSH PRIVATE KEY', '\\n') },
  { name: 'private_key', secret: pem('PGP PRIVATE KEY BLOCK') },
  {
    name: 'private_key',
    secret: `-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${MIXED}\n\n${PEM_BODY}`,
  },
];

/** Text, and what must be left of it. */
export const CONTEXT_SAMPLES: readonly { text: string; clean: string }[] = [
  { text: `Bearer ${'q'.repeat(12)}`, clean: 'Bearer <redacted:bearer_token:12>' },
  { text: 'use bearer 0a1b2c3d4e5f=, please', clean: 'use bearer <redacted:bearer_token:13>, please' },
  {
    text: 'authorization: Basic dXNlcjpwYXNz',
    clean: 'authorization: Basic <redacted:secret_assignment:12>',
  },
  { text: 'password=hunter2', clean: 'password=<redacted:secret_assignment:7>' },
  { text: 'Password: hunter2!', clean: 'Password: <redacted:secret_assignment:8>' },
  { text: 'DB_PASSWORD=correcthorse', clean: 'DB_PASSWORD=<redacted:secret_assignment:12>' },
  { text: '{"api_key": "abcdefgh"}', clean: '{"api_key": "<redacted:secret_assignment:8>"}' },
  { text: "apiKey: 'abcdefgh'", clean: "apiKey: '<redacted:secret_assignment:8>'" },
  {
    text: '{\\"client_secret\\":\\"abcdefgh\\"}',
    clean: '{\\"client_secret\\":\\"<redacted:secret_assignment:8>\\"}',
  },
  { text: 'accessToken := "abcdefgh"', clean: 'accessToken := "<redacted:secret_assignment:8>"' },
  { text: 'my_session_token => 12345678', clean: 'my_session_token => <redacted:secret_assignment:8>' },
  {
    text: 'aws_secret_access_key = a/b+c1d2e3',
    clean: 'aws_secret_access_key = <redacted:secret_assignment:10>',
  },
  { text: 'X-Auth-Token: abc123def', clean: 'X-Auth-Token: <redacted:secret_assignment:9>' },
  { text: 'Cookie: sid=abc; theme=dark', clean: 'Cookie: sid=<redacted:secret_assignment:15>' },
  { text: 'https://user:pa:ss@example.com/x', clean: 'https://[redacted]@example.com/x' },
  { text: 'postgres://u:p@ss@db:5432/x', clean: 'postgres://[redacted]@db:5432/x' },
  { text: 'https://x/?token=abc&ok=1#top', clean: 'https://x/?token=[redacted]&ok=1#top' },
  { text: 'https://x/?a=1&X-Amz-Signature=0f0f&b=2', clean: 'https://x/?a=1&X-Amz-Signature=[redacted]&b=2' },
  {
    text: 'see /cb?client_secret=s&my_api_key=k.',
    clean: 'see /cb?client_secret=[redacted]&my_api_key=[redacted]',
  },
];

/** Close to a secret, and none. */
export const NEAR_MISSES: readonly string[] = [
  'eyJhbGciOiJFZERTQSJ9',
  `eyJ${MIXED}..${MIXED}`,
  'ghp_short',
  'weighs_and_measures_of_the_world',
  'github_pat_',
  'xoxo-hugs-and-kisses-to-all',
  'AKIA is a prefix of key ids',
  'AKIAQ3EGZ7T5XN2',
  'glpat-123',
  'hf_hub_download(repo_id)',
  'csk-cup-final-2026',
  'tgp_v1_short',
  `AIza${MIXED.slice(0, 20)}`,
  'npm_config_registry and npm_lifecycle_event_name_of_script',
  'sk-learn-compatible-estimators',
  'task-0123456789abcdef-0123456789abcdef',
  'disk-usage-report-2026-11-21-final',
  'sk_live_demo',
  '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAabcdefghijklmnop\n-----END PUBLIC KEY-----',
  'The file starts with -----BEGIN PRIVATE KEY----- and ends with a similar line.',
  'Bearer authentication is required',
  'the bearer of this letter',
  'Bearer short',
  'password: required',
  'The password is checked by the server.',
  'password = getPassword(user)',
  'password=$DB_PASSWORD',
  '{"password": "string"}',
  '{"password": "Choose a new one"}',
  'api_key=os.environ["API_KEY2"]',
  'const secret = process.env.SECRET_2;',
  'password: <your password 123>',
  'api_key: [redacted]',
  'page_token=abc123def456',
  'next_token: "abc123def456"',
  'max_tokens=4096000',
  'pad_token = "<pad-0001>"',
  'token_type=bearer123456',
  'cookie: a small file stored by the browser',
  'https://example.com/a/@scope/b?x=1',
  'https://example.com/list?page_token=abc123&order=asc',
  'mail me@example.com or see https://example.com',
];
