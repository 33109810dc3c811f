import { hash } from 'node:crypto';

/** Lower-case hex SHA-256 of bytes, or of the UTF-8 bytes of a string. */
export function sha256Hex(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex');
}

/** The 32 bytes of the SHA-256 of bytes, or of the UTF-8 bytes of a string. */
export function sha256Bytes(data: string | Uint8Array): Buffer {
  return hash('sha256', data, 'buffer');
}
