/**
 * The bytes of a base64 text, or undefined unless it is the one correct spelling of them. Node's decoder skips what it does
 * not know, so that many texts would pass as the same signature.
 */
export function decodeStrictBase64(text: string, alphabet: 'base64' | 'base64url'): Buffer | undefined {
  const bytes = Buffer.from(text, alphabet);
  return bytes.toString(alphabet) === text ? bytes : undefined;
}
