import { hash } from 'node:crypto';

/** Lower-case hex. */
export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex');
}
