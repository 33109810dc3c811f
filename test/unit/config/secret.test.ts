import { describe, expect, it } from 'vitest';
import { ConfigError } from '#config/fault.ts';
import { readSecret } from '#config/secret.ts';
import { type Given, load, onlyFault, refusal } from './config-harness.ts';

const SECRET = 'hunter2-hunter2';
const agent = (value: string) =>
  `upstreams:\n  a2a:\n    - id: shop\n      card: https://shop.example.com/card\n      auth: {type: bearer, value: ${value}}\n`;

const files = { '/run/token': `${SECRET}\n`, '/run/empty': '\n', '/run/lines': 'a\nb\n' };
const readFile = (path: string): string => {
  const text = new Map(Object.entries(files)).get(path);
  if (text === undefined) throw Object.assign(new Error('gone'), { code: 'ENOENT' });
  return text;
};

describe('secrets', () => {
  it('are read from the environment or a file at each use, without the last line end', () => {
    const sources = { env: { TOKEN: SECRET }, readFile };
    expect(readSecret({ env: 'TOKEN' }, sources)).toBe(SECRET);
    expect(readSecret({ file: '/run/token' }, sources)).toBe(SECRET);
  });

  it.each([
    [{ env: 'GONE' }, 'auth.value: the environment variable GONE is not set'],
    [
      { env: 'BROKEN' },
      'auth.value: the environment variable BROKEN holds control characters or several lines',
    ],
    [{ file: '/run/gone' }, 'auth.value: the file /run/gone does not exist'],
    [{ file: '/run/empty' }, 'auth.value: the file /run/empty is empty'],
    [{ file: '/run/lines' }, 'auth.value: the file /run/lines holds control characters or several lines'],
  ])('that cannot be used are refused with the reason: %j', (ref, message) => {
    const read = () => readSecret(ref, { env: { BROKEN: `${SECRET}\r\nX: 1` }, readFile }, 'auth.value');
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(message);
  });

  it('must be readable when the configuration is checked', () => {
    expect(onlyFault({ yaml: agent('{env: SHOP_TOKEN}') })).toBe(
      'upstreams.a2a[0].auth.value: the environment variable SHOP_TOKEN is not set',
    );
  });

  it('are not part of the loaded configuration', () => {
    const config = load({ yaml: agent('{env: SHOP_TOKEN}'), env: { SHOP_TOKEN: SECRET } });
    expect(JSON.stringify(config)).not.toContain(SECRET);
  });

  it('do not travel over plain HTTP off loopback unless the server is declared insecure', () => {
    const env = { T: SECRET };
    const yaml = agent('{env: T}').replace('https:', 'http:');
    expect(onlyFault({ yaml, env })).toMatch(
      /^upstreams\.a2a\[0\]\.card: must be an https URL when auth is set/,
    );
    expect(load({ yaml: yaml.replace('shop.example.com', '127.0.0.1:9'), env }).usesSampleAgent).toBe(false);
    expect(load({ yaml: `${yaml}server: {insecure: true}\n`, env }).usesSampleAgent).toBe(false);
  });

  it.each<[string, Given]>([
    ['a literal value', { yaml: agent(SECRET) }],
    ['a literal in place of a variable name', { yaml: agent(`{env: ${SECRET}}`) }],
    ['a literal as an option name', { yaml: agent(`{${SECRET}: x}`) }],
    ['a literal as an unknown option', { yaml: agent(`{env: T, value: ${SECRET}}`) }],
    ['user info in a card URL', { yaml: `upstreams: {a2a: [{id: a, card: "https://u:${SECRET}@h/c"}]}` }],
    ['a key in place of its hash', { yaml: `auth: {api_keys: [{id: k, hash: ${SECRET}, actor: a}]}` }],
    ['a token in broken YAML', { yaml: `auth: {api_keys: [ "${SECRET}" "${SECRET}" ]\n @${SECRET}` }],
    ['a tag made of it', { yaml: `server: !${SECRET} x` }],
    ['an alias made of it', { yaml: `server: *${SECRET}` }],
    ['a flag', { flags: { host: `https://${SECRET}@h` } }],
    ['a secret with a line break', { yaml: agent('{env: T}'), env: { T: `${SECRET}\nX` } }],
    ['an unknown route', { yaml: `routing: {default: "${SECRET}"}` }],
  ])('never appear in a message: %s', (_name, given) => {
    expect(refusal(given).message).not.toContain(SECRET);
  });
});
