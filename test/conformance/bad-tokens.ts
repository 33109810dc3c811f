import { createHmac, createPublicKey } from 'node:crypto';
import { type SigningPair, signToken } from '../harness/peers/token-issuer.ts';
import { AUDIENCE, NOW } from './token-stage.ts';

/** What bad tokens are made of: the key of the issuer, and claims that let in. */
export interface TokenWorld {
  pair(): SigningPair;
  claims(extra?: Record<string, unknown>): Record<string, unknown>;
}

export type BadTokens = Record<string, () => Promise<string> | string>;

const base64 = (text: string) => Buffer.from(text).toString('base64url');

function swapped(token: string, at: number, part: string): string {
  return token
    .split('.')
    .map((old, n) => (n === at ? part : old))
    .join('.');
}

/** Tokens that are signed well, and say what no good token says. */
export function badClaims({ pair, claims }: TokenWorld): BadTokens {
  const saying = (extra: Record<string, unknown>) => () => signToken(pair(), claims(extra));
  return {
    'an issuer that is null': saying({ iss: null }),
    'an empty issuer': saying({ iss: '' }),
    'an empty audience list': saying({ aud: [] }),
    'an audience that is an object': saying({ aud: { [AUDIENCE]: true } }),
    'an audience that only contains ours': saying({ aud: `x ${AUDIENCE}` }),
    'an audience with more behind': saying({ aud: `${AUDIENCE}.evil.test` }),
    'an audience that is null': saying({ aud: null }),
    'an expiry that is null': saying({ exp: null }),
    'an expiry that is a list': saying({ exp: [NOW + 600] }),
    'an expiry in the year 9999': saying({ exp: 253_402_300_799 }),
    'an expiry in milliseconds': saying({ exp: (NOW + 600) * 1000 }),
    'an expiry at the beginning of time': saying({ exp: 0 }),
    'a time of issue before all times': saying({ iat: -1 }),
    'a time of issue that is null': saying({ iat: null }),
    'a start that is a list': saying({ nbf: [NOW] }),
    'a start that is true': saying({ nbf: true }),
    'a subject that is null': saying({ sub: null }),
    'a subject that is a list': saying({ sub: ['robot'] }),
    'a tenant that is null': saying({ tenant: null }),
    'an empty tenant': saying({ tenant: '' }),
    'a tenant that is a number': saying({ tenant: 1 }),
  };
}

/** Tokens whose bytes are not those of a good one. */
export function badSpellings({ pair, claims }: TokenWorld): BadTokens {
  const good = () => signToken(pair(), claims());
  const hmac = (alg: 'HS384' | 'HS512') => () => {
    const key = createPublicKey({ key: pair().jwk as never, format: 'jwk' });
    const signed = `${base64(`{"alg":"${alg}","typ":"at+jwt","kid":"key-1"}`)}.${base64(JSON.stringify(claims()))}`;
    const mac = createHmac(
      alg === 'HS384' ? 'sha384' : 'sha512',
      key.export({ type: 'spki', format: 'der' }),
    );
    return `${signed}.${mac.update(signed).digest('base64url')}`;
  };
  const headed = (header: string) => async () => swapped(await good(), 0, base64(header));
  const bodied = (change: (json: string) => string) => async () =>
    swapped(await good(), 1, base64(change(JSON.stringify(claims()))));
  return {
    'HS384 with the public key as secret': hmac('HS384'),
    'HS512 with the public key as secret': hmac('HS512'),
    'no algorithm': headed('{"typ":"at+jwt","kid":"key-1"}'),
    'an algorithm in small letters': headed('{"alg":"es256","typ":"at+jwt","kid":"key-1"}'),
    'an algorithm that is a list': headed('{"alg":["ES256"],"typ":"at+jwt","kid":"key-1"}'),
    'an algorithm of another kind of key': headed('{"alg":"RS256","typ":"at+jwt","kid":"key-1"}'),
    'a key id that is a number': headed('{"alg":"ES256","typ":"at+jwt","kid":1}'),
    'a key id that is a list': headed('{"alg":"ES256","typ":"at+jwt","kid":["key-1"]}'),
    'a compressed payload': headed('{"alg":"ES256","typ":"at+jwt","kid":"key-1","zip":"DEF"}'),
    'a header that is null': headed('null'),
    'a header behind a byte order mark': headed('\ufeff{"alg":"ES256","typ":"at+jwt","kid":"key-1"}'),
    'claims behind a byte order mark': bodied((json) => `\ufeff${json}`),
    'claims with more behind': bodied((json) => `${json}{}`),
    'a claim written twice, once escaped': bodied((json) => json.replace('{', '{"\\u0073ub":"admin",')),
    'a claim that is named like the prototype': bodied((json) => json.replace('{', '{"__proto__":{},')),
    'claims without end': bodied((json) => json.replace('{', `{"x":${'['.repeat(200)}${']'.repeat(200)},`)),
    'half a character': bodied((json) => json.replace('"robot"', '"\\ud800"')),
    ...badSignatures(good),
    'a header in another spelling': async () => swapped(await good(), 0, `${(await good()).split('.')[0]}=`),
    'a space inside': async () => (await good()).replace('.', '. '),
    'two tokens': async () => `${await good()} ${await good()}`,
    'two tokens with a comma': async () => `${await good()},${await good()}`,
  };
}

function badSignatures(good: () => Promise<string>): BadTokens {
  const signatureOf = async (change: (signature: Buffer) => Buffer) => {
    const token = await good();
    return swapped(
      token,
      2,
      change(Buffer.from(token.split('.')[2] ?? '', 'base64url')).toString('base64url'),
    );
  };
  return {
    'a signature with a byte more': () => signatureOf((bytes) => Buffer.concat([bytes, Buffer.from([0])])),
    'a signature with its halves exchanged': () =>
      signatureOf((bytes) => Buffer.concat([bytes.subarray(32), bytes.subarray(0, 32)])),
    'a signature of ones': () => signatureOf((bytes) => Buffer.alloc(bytes.length, 0xff)),
    'a signature with one bit changed': () =>
      signatureOf((bytes) => Buffer.from(bytes.map((b, n) => (n ? b : b ^ 1)))),
    'a signature in another spelling': async () => respelled(await good()),
  };
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The last character of 64 bytes has four bits that no byte takes; readers that are not strict ignore them. */
function respelled(token: string): string {
  return token.slice(0, -1) + ALPHABET[ALPHABET.indexOf(token.at(-1) ?? 'A') ^ 1];
}
