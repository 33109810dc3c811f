import { sha256 } from '../../wire/sha256.ts';

const PLAIN = /^[\w.-]{1,64}$/;

/** Names a question of a server by its own key, so that it is the same one when it is asked about again. */
export function questionName(where: string, key: string): string {
  const named = PLAIN.test(key) ? key : sha256(key).slice(0, 16);
  return `${where}/${named}`;
}
