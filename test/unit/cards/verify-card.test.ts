import { createHmac, generateKeyPairSync } from 'node:crypto';
import { type CompactJWSHeaderParameters, FlattenedSign } from 'jose';
import { describe, expect, it } from 'vitest';
import { coveredPart, payloadForms } from '#cards/payload-forms.ts';
import { signA2aCard } from '#cards/sign-card.ts';
import { type FindKeys, keysOfSet } from '#cards/trusted-keys.ts';
import { verifyCard } from '#cards/verify-card.ts';
import type { JsonObject } from '#protocol/json.ts';
import { CARD_SIGNATURE_STATUS } from '#resources/agent/schema.ts';
import { cardOf, KEYS_URL, NOW, newKey, trusting } from './card-world.ts';

const key = newKey();
const card = cardOf() as unknown as JsonObject;
const signed = signA2aCard(cardOf(), key, KEYS_URL) as unknown as JsonObject;
const judge = (shown: JsonObject, findKeys: FindKeys = trusting(key)) => verifyCard(shown, findKeys, NOW);
const status = async (...args: Parameters<typeof judge>) => (await judge(...args)).status;

/** The card with one signature over its raw text, made with the given header. */
async function signedWith(
  header: CompactJWSHeaderParameters,
  privateKey: Parameters<FlattenedSign['sign']>[0] = key.privateKey,
): Promise<JsonObject> {
  const text = payloadForms(card)[0]?.text ?? '';
  const jws = await new FlattenedSign(Buffer.from(text)).setProtectedHeader(header).sign(privateKey);
  return { ...card, signatures: [{ protected: jws.protected ?? '', signature: jws.signature }] };
}

/** The card with one signature whose header and signature are these texts. */
const bare = (header: object, signature = 'AAAA'): JsonObject => ({
  ...card,
  signatures: [{ protected: Buffer.from(JSON.stringify(header)).toString('base64url'), signature }],
});
const entries = () => structuredClone(signed['signatures']) as { protected: string; signature: string }[];

describe('the verdict about a card', () => {
  it('is verified for the card that was signed, and says by which key and over what', async () => {
    expect(await judge(signed)).toEqual({
      status: 'verified',
      reason: CARD_SIGNATURE_STATUS.verified,
      key_id: key.keyId,
      algorithm: 'EdDSA',
      keys: 'pinned',
      covers: 'card',
    });
  });

  it.each([
    ['a text', (shown: JsonObject) => ({ ...shown, description: 'Other.' })],
    ['a URL of 1.0', (shown: JsonObject) => ({ ...shown, supportedInterfaces: [] })],
    [
      'an added skill',
      (shown: JsonObject) => ({ ...shown, skills: [...(shown['skills'] as []), { id: 'x' }] }),
    ],
    ['the security', (shown: JsonObject) => ({ ...shown, securitySchemes: {} })],
    ['a removed member', ({ capabilities: _, ...shown }: JsonObject) => shown],
    ['a member of another kind', (shown: JsonObject) => ({ ...shown, name: ['Sample'] })],
  ])('is invalid_signature when %s was changed', async (_, tamper) => {
    expect(await judge(tamper(signed))).toMatchObject({ status: 'invalid_signature', covers: null });
  });

  it('says that members of 0.3 are not covered when only those of 1.0 are as they were signed', async () => {
    const moved = { ...signed, url: 'https://evil.example.com' };
    expect(await judge(moved)).toMatchObject({ status: 'verified', covers: 'a2a_members' });
    const grown = { ...moved, skills: [...(signed['skills'] as []), {}] };
    expect(await judge(grown)).toMatchObject({ status: 'verified', covers: 'a2a_members' });
    expect(coveredPart(grown, 'a2a_members')).toEqual(coveredPart(card, 'a2a_members'));
    expect(coveredPart(grown, 'a2a_members')).not.toHaveProperty('url');
  });

  it('does not depend on the order of members', async () => {
    const turned = Object.fromEntries(Object.entries(signed).reverse());
    expect(await status(turned)).toBe('verified');
  });

  it.each([
    ['no signatures', undefined],
    ['an empty list', []],
  ])('is unsigned for %s', async (_, signatures) => {
    const { signatures: __, ...rest } = signed;
    expect(await status(signatures === undefined ? rest : { ...rest, signatures })).toBe('unsigned');
  });

  it.each([
    ['no list', { signatures: 'x' }],
    ['entries that are no objects', { signatures: ['x'] }],
    ['an entry without a header', { signatures: [{ signature: 'x' }] }],
    ['a header that is no JSON', { signatures: [{ protected: 'eyJ', signature: 'x' }] }],
    ['a header without alg', bare({ kid: key.keyId })],
    ['a header without kid', bare({ alg: 'EdDSA' })],
    ['a critical header', bare({ alg: 'EdDSA', kid: key.keyId, crit: ['exp'], exp: 1 })],
    ['a key URL that is no text', bare({ alg: 'EdDSA', kid: key.keyId, jku: 7 })],
  ])('is malformed for %s', async (_, shown) => {
    expect(await status({ ...card, ...(shown as JsonObject) })).toBe('malformed');
  });

  it.each(['none', 'NONE', '', 'HS256', 'HS512', 'RSA-OAEP', 'eddsa'])(
    'is algorithm_refused for alg "%s"',
    async (alg) => {
      expect(await judge(bare({ alg, kid: key.keyId }, ''))).toMatchObject({
        status: 'algorithm_refused',
        algorithm: alg,
        key_id: key.keyId,
      });
    },
  );

  it('is algorithm_refused for a symmetric signature, also when the trusted keys hold that secret', async () => {
    const secret = Buffer.from('0123456789abcdef0123456789abcdef');
    const head = Buffer.from(JSON.stringify({ alg: 'HS256', kid: 'shared', typ: 'JOSE' })).toString(
      'base64url',
    );
    const payload = Buffer.from(payloadForms(card)[0]?.text ?? '').toString('base64url');
    const signature = createHmac('sha256', secret).update(`${head}.${payload}`).digest('base64url');
    const shown = { ...card, signatures: [{ protected: head, signature }] };
    const shared = { jwk: { kty: 'oct', k: secret.toString('base64url'), kid: 'shared', alg: 'HS256' } };
    expect(await status(shown, trusting(shared))).toBe('algorithm_refused');
    expect(await status(bare({ alg: 'EdDSA', kid: 'shared' }), trusting(shared))).toBe('unknown_key');
  });

  it('is embedded_key_refused for a signature that brings its own key, good as it may be', async () => {
    const other = newKey();
    const header = { alg: 'EdDSA', kid: other.keyId, typ: 'JOSE' };
    const { kty, crv, x } = other.jwk as Record<string, string>;
    const jwk = { kty, crv, x } as never;
    expect(await status(await signedWith({ ...header, jwk }, other.privateKey))).toBe('embedded_key_refused');
    expect(await status(bare({ ...header, x5c: ['AAAA'] }))).toBe('embedded_key_refused');
    expect(await status(bare({ ...header, x5u: 'https://evil.example.com' }))).toBe('embedded_key_refused');
  });

  it('is unknown_key for a foreign key', async () => {
    const foreign = newKey();
    const shown = signA2aCard(cardOf(), foreign, KEYS_URL) as unknown as JsonObject;
    expect(await judge(shown)).toMatchObject({ status: 'unknown_key', key_id: foreign.keyId });
  });

  it('is invalid_signature when a foreign key signs under the id of a trusted one', async () => {
    const foreign = newKey();
    const header = { alg: 'EdDSA', kid: key.keyId, typ: 'JOSE' };
    expect(await status(await signedWith(header, foreign.privateKey))).toBe('invalid_signature');
  });

  it('is invalid_signature when the algorithm is not that of the key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwk = { ...(publicKey.export({ format: 'jwk' }) as JsonObject), kid: 'p256' };
    const good = await signedWith({ alg: 'ES256', kid: 'p256', typ: 'JOSE' }, privateKey);
    expect(await status(good, trusting({ jwk }))).toBe('verified');
    const [entry] = good['signatures'] as { signature: string }[];
    expect(await status(bare({ alg: 'EdDSA', kid: 'p256' }, entry?.signature), trusting({ jwk }))).toBe(
      'invalid_signature',
    );
  });

  it('never trusts a private or an encryption key', async () => {
    for (const extra of [{ d: 'AAAA' }, { use: 'enc' }])
      expect(await status(signed, trusting({ jwk: { ...key.jwk, ...extra } }))).toBe('unknown_key');
  });

  it.each(['01', '00', `ec${'ff'.repeat(30)}7f`])('trusts no key of small order: %s', async (start) => {
    const x = Buffer.from(start.padEnd(64, '0'), 'hex').toString('base64url');
    const jwk = { kty: 'OKP', crv: 'Ed25519', kid: 'small', x };
    // It verifies over any card with the key whose point is the neutral one.
    const forged = Buffer.from(`01${'00'.repeat(63)}`, 'hex').toString('base64url');
    expect(await status(bare({ alg: 'EdDSA', kid: 'small' }, forged), trusting({ jwk }))).toBe('unknown_key');
  });

  it('is invalid_signature when the key says that it is for another algorithm', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = { ...(publicKey.export({ format: 'jwk' }) as JsonObject), kid: 'rsa', alg: 'PS256' };
    const shown = await signedWith({ alg: 'RS256', kid: 'rsa', typ: 'JOSE' }, privateKey);
    expect(await status(shown, trusting({ jwk }))).toBe('invalid_signature');
    expect(await status(shown, trusting({ jwk: { ...jwk, alg: 'RS256' } }))).toBe('verified');
    for (const alg of ['EdDSA', 'Ed25519'])
      expect(await status(signed, trusting({ jwk: { ...key.jwk, alg } }))).toBe('verified');
  });

  it('is invalid_signature for another spelling of the same bytes', async () => {
    const [entry] = entries();
    const { signature = '', protected: head = '' } = entry ?? {};
    const last = signature.charCodeAt(signature.length - 1);
    const respelled = signature.slice(0, -1) + String.fromCharCode(last + 1);
    expect(Buffer.from(respelled, 'base64url')).toEqual(Buffer.from(signature, 'base64url'));
    for (const spelling of [respelled, `${signature}==`, ` ${signature}`]) {
      const signatures = [{ protected: head, signature: spelling }];
      expect(await status({ ...signed, signatures })).toBe('invalid_signature');
    }
  });

  it('is key_not_valid for a key that was revoked, or whose time is not now', async () => {
    const seconds = NOW / 1000;
    const bad: JsonObject[] = [
      { exp: seconds },
      { nbf: seconds + 1 },
      { not_after: new Date(NOW).toISOString() },
      { not_before: new Date(NOW + 1).toISOString() },
      { not_before: 'some day' },
      { revoked_at: new Date(NOW + 1).toISOString() },
    ];
    for (const extra of bad)
      expect(await status(signed, trusting({ jwk: { ...key.jwk, ...extra } }))).toBe('key_not_valid');
    expect(await status(signed, trusting({ jwk: { ...key.jwk, nbf: seconds, exp: seconds + 1 } }))).toBe(
      'verified',
    );
    const keys = keysOfSet({ keys: [], revoked_keys: [key.jwk] }) ?? [];
    expect(await status(signed, async () => ({ from: 'origin', keys }))).toBe('key_not_valid');
  });

  it.each(['key_url_refused', 'keys_unavailable'] as const)('is %s when its keys are', async (refused) => {
    expect(await status(signed, async () => ({ refused }))).toBe(refused);
  });

  it('asks for keys by the protected key URL, never by an unprotected one', async () => {
    const urls: (string | undefined)[] = [];
    const header = { alg: 'EdDSA', kid: key.keyId };
    const [entry] = (await signedWith(header))['signatures'] as JsonObject[];
    const shown = { ...card, signatures: [{ ...entry, header: { jku: 'https://evil.example.com' } }] };
    const verdict = await judge(shown, async (url) => {
      urls.push(url);
      return { from: 'pinned', keys: [key.jwk] };
    });
    expect([urls, verdict.status]).toEqual([[undefined], 'verified']);
  });

  it('needs one good signature of several, and looks at eight at most', async () => {
    const foreign = signA2aCard(cardOf(), newKey(), KEYS_URL).signatures ?? [];
    expect(await status({ ...signed, signatures: [...foreign, ...entries()] })).toBe('verified');
    const crowd = Array.from({ length: 8 }, () => foreign[0] as unknown as JsonObject);
    expect(await status({ ...signed, signatures: [...crowd, ...entries()] })).toBe('unknown_key');
  });

  it('survives the rotation of keys while both are published', async () => {
    const next = newKey();
    const both = trusting(key, next);
    expect(await status(signed, both)).toBe('verified');
    expect(await status(signA2aCard(cardOf(), next, KEYS_URL) as unknown as JsonObject, both)).toBe(
      'verified',
    );
    expect(await status(signed, trusting(next))).toBe('unknown_key');
  });

  it('sees every flipped bit of a signature', async () => {
    const [entry] = entries();
    const bytes = Buffer.from(entry?.signature ?? '', 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 7) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const signatures = [{ protected: entry?.protected ?? '', signature: flipped.toString('base64url') }];
      expect(await status({ ...signed, signatures })).toBe('invalid_signature');
    }
  });
});
