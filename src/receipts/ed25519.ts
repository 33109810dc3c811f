import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

export const PUBLIC_KEY_BYTES = 32;
export const SEED_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/** DER of a PKCS #8 Ed25519 key up to its 32-byte seed. Spec: RFC 8410, section 7. */
const PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * The y coordinates (little-endian, without the sign bit) of the points of order 1, 2, 4 and 8, in every spelling that
 * decoders accept. Such a public key verifies a forged signature over any message.
 */
const SMALL_ORDER_Y = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
]);

/** The private key of a 32-byte seed. */
export function privateKeyOf(seed: Uint8Array): KeyObject {
  if (seed.length !== SEED_BYTES) throw new RangeError(`An Ed25519 seed has ${SEED_BYTES} bytes`);
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEADER, seed]), format: 'der', type: 'pkcs8' });
}

/** The raw 32 bytes of the public half of a key. */
export function rawPublicKey(key: KeyObject): Buffer {
  const { x } = key.export({ format: 'jwk' });
  return Buffer.from(x ?? '', 'base64url');
}

/** The public key of 32 raw bytes. Throws RangeError for a wrong length and for a point of small order. */
export function publicKeyOf(raw: Buffer): KeyObject {
  if (raw.length !== PUBLIC_KEY_BYTES)
    throw new RangeError(`An Ed25519 public key has ${PUBLIC_KEY_BYTES} bytes`);
  if (isSmallOrder(raw))
    throw new RangeError('An Ed25519 public key of small order verifies forged signatures');
  return createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: raw.toString('base64url') },
    format: 'jwk',
  });
}

/** Whether 32 raw bytes are a public key that verifies a forged signature over any message. */
export function isSmallOrder(raw: Buffer): boolean {
  const y = Buffer.from(raw);
  y[PUBLIC_KEY_BYTES - 1] = (y[PUBLIC_KEY_BYTES - 1] ?? 0) & 0x7f;
  return SMALL_ORDER_Y.has(y.toString('hex'));
}

/** The key id: the JWK thumbprint, base64url. Spec: RFC 7638 and RFC 8037, appendix A.3. */
export function thumbprint(raw: Buffer): string {
  const members = `{"crv":"Ed25519","kty":"OKP","x":"${raw.toString('base64url')}"}`;
  return createHash('sha256').update(members).digest('base64url');
}
