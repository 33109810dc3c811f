import { createPublicKey, sign, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { privateKeyOf, publicKeyOf, rawPublicKey, thumbprint } from '../../../src/receipts/ed25519.ts';

/** RFC 8032, section 7.1, test 1. */
const SEED = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const PUBLIC = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex');
const SIGNATURE =
  'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b';

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

describe('Ed25519 keys', () => {
  it('derives the key pair and the signature of the RFC 8032 vector from its seed', () => {
    expect(rawPublicKey(privateKeyOf(SEED))).toEqual(PUBLIC);
    expect(rawPublicKey(publicKeyOf(PUBLIC))).toEqual(PUBLIC);
    expect(sign(null, Buffer.alloc(0), privateKeyOf(SEED)).toString('hex')).toBe(SIGNATURE);
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
