import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { privateKeyOf, publicKeyOf, rawPublicKey, thumbprint } from '#receipts/ed25519.ts';
import { keysOfJwks, verifySignature } from '#receipts/verification-keys.ts';

/** RFC 8032, section 7.1, test 1. */
const SEED = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const PUBLIC = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');
const SIGNATURE =
  'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b';

/** RFC 8032, section 7.1. */
const VECTORS: Record<string, { seed: string; public: string; message: string; signature: string }> = {
  'test 2': {
    seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    public: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    message: '72',
    signature:
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  },
  'test 3': {
    seed: 'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    public: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    message: 'af82',
    signature:
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  },
  'test SHA(abc)': {
    seed: '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42',
    public: 'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
    message:
      'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
    signature:
      'dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704',
  },
};
const hex = (text: string) => Buffer.from(text, 'hex');

const P = 2n ** 255n - 19n;
const D = BigInt('0x52036cee2b6ffe738cc740797779e89800700a4d4141d8ab75eb4dca135978a3');
const littleEndian = (y: bigint) => Buffer.from(y.toString(16).padStart(64, '0'), 'hex').reverse();

/** Every spelling of the points of order 1, 2, 4 and 8: y, y + p where it fits, each with and without the sign bit. */
function smallOrderKeys(): Buffer[] {
  const order8 = BigInt('0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7');
  // Doubling it gives y = 0, a point of order 4.
  expect((D * order8 ** 4n + 2n * order8 ** 2n - 1n) % P).toBe(0n);
  const ys = [0n, 1n, P - 1n, order8, P - order8];
  const spellings = ys.flatMap((y) => [y, y + P]).filter((y) => y < 2n ** 255n);
  return spellings.flatMap((y) => [littleEndian(y), littleEndian(y + 2n ** 255n)]);
}

const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const number = (bytes: Buffer) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
const sha512 = (...parts: Buffer[]) => createHash('sha512').update(Buffer.concat(parts)).digest();

/** The private scalar of a seed. Spec: RFC 8032, section 5.1.5. */
function scalar(seed: string): bigint {
  const half = sha512(hex(seed)).subarray(0, 32);
  return (number(half) & ((1n << 254n) - 8n)) | (1n << 254n);
}

/** What S = r + k s is made with. Spec: RFC 8032, section 5.1.6. */
function challenge(r: Buffer, key: KeyObject, message: Buffer): bigint {
  return number(sha512(r, rawPublicKey(key), message)) % L;
}

function verdict(publicKey: Buffer, claim: { bytes: Buffer; signature: Buffer }): string {
  const jwk = { kty: 'OKP', crv: 'Ed25519', kid: 'k', x: publicKey.toString('base64url') };
  return verifySignature(keysOfJwks({ keys: [jwk] }), { keyId: 'k', timesMs: [], ...claim });
}

describe('Ed25519 keys', () => {
  it('derives the key pair and the signature of the RFC 8032 vector from its seed', () => {
    expect(rawPublicKey(privateKeyOf(SEED))).toEqual(PUBLIC);
    expect(rawPublicKey(publicKeyOf(PUBLIC))).toEqual(PUBLIC);
    expect(sign(null, Buffer.alloc(0), privateKeyOf(SEED)).toString('hex')).toBe(SIGNATURE);
  });

  it.each(Object.entries(VECTORS))('agree with RFC 8032 %s', (_, vector) => {
    const key = privateKeyOf(hex(vector.seed));
    expect(rawPublicKey(key).toString('hex')).toBe(vector.public);
    expect(sign(null, hex(vector.message), key).toString('hex')).toBe(vector.signature);
    const claim = { bytes: hex(vector.message), signature: hex(vector.signature) };
    expect(verdict(hex(vector.public), claim)).toBe('ok');
    expect(verdict(hex(vector.public), { ...claim, bytes: hex('00') })).toBe('invalid_signature');
  });

  it('verify a signature only with S below the order and R in its one spelling', () => {
    const vector = VECTORS['test 2'];
    const [message, publicKey] = [hex(vector?.message ?? ''), hex(vector?.public ?? '')];
    const good = hex(vector?.signature ?? '');
    const s = BigInt(`0x${Buffer.from(good.subarray(32)).reverse().toString('hex')}`);
    // S + L fits the same equation, and so on while it fits into 32 bytes; S = L is zero spelled otherwise.
    for (const larger of [s + L, s + 2n * L, L, 2n ** 256n - 1n]) {
      const signature = Buffer.concat([good.subarray(0, 32), littleEndian(larger)]);
      expect(verdict(publicKey, { bytes: message, signature })).toBe('invalid_signature');
    }
    // The neutral point as p + 1, as 1 with the sign bit, and both: other spellings of the R of a signature with r = 0.
    const { seed } = VECTORS['test 3'] ?? { seed: '' };
    const key = privateKeyOf(hex(seed));
    for (const [spelling, expected] of [
      [1n, 'ok'],
      [P + 1n, 'invalid_signature'],
      [2n ** 255n + 1n, 'invalid_signature'],
      [2n ** 255n + P + 1n, 'invalid_signature'],
    ] as const) {
      const r = littleEndian(spelling);
      const signature = Buffer.concat([r, littleEndian((challenge(r, key, message) * scalar(seed)) % L)]);
      expect(verdict(rawPublicKey(key), { bytes: message, signature }), String(spelling)).toBe(expected);
    }
  });

  it('names a key by the thumbprint of the RFC 8037 example', () => {
    expect(thumbprint(PUBLIC)).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
  });

  it('refuses every spelling of a small-order point, among them one that passes a forged signature', () => {
    const keys = smallOrderKeys();
    expect(keys).toHaveLength(14);
    for (const key of keys) expect(() => publicKeyOf(key), key.toString('hex')).toThrow('small order');
    const identity = littleEndian(1n);
    const forged = Buffer.concat([identity, Buffer.alloc(32)]);
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: identity.toString('base64url') };
    expect(verify(null, Buffer.from('any'), createPublicKey({ key: jwk, format: 'jwk' }), forged)).toBe(true);
  });

  it('refuses seeds and public keys of a wrong length', () => {
    expect(() => privateKeyOf(SEED.subarray(1))).toThrow(RangeError);
    expect(() => publicKeyOf(PUBLIC.subarray(1))).toThrow(RangeError);
  });
});
