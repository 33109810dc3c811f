import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { Random } from '#protocol/ports.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts small records that must survive a restart but must not be readable in the store. */
export interface SecretBox {
  seal(plain: Buffer): Buffer;
  /** Throws when the bytes were changed or belong to another key. */
  open(sealed: Buffer): Buffer;
}

/** AES-256-GCM with a fresh nonce per record; `key` holds 32 bytes. Layout: nonce, tag, ciphertext. */
export function createSecretBox(key: Buffer, random: Random): SecretBox {
  return {
    seal(plain) {
      const nonce = Buffer.from(random.bytes(NONCE_BYTES));
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const text = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]);
    },
    open(sealed) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    },
  };
}
