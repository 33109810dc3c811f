/**
 * The ways a secret is written in text that carries it: as it is, in a JSON string, URL-encoded, hex in both cases,
 * base64 and base64url. The base64 of a longer text that contains the secret (`user:secret`) has three alignments; of
 * each the characters that depend on the secret alone are listed.
 */
export function secretSpellings(secret: string): Set<string> {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const url = encodeURIComponent(secret);
  const spellings = new Set([
    secret,
    JSON.stringify(secret).slice(1, -1),
    url,
    url.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase()),
    url.replaceAll('%20', '+'),
    hex,
    hex.toUpperCase(),
    bytes.toString('base64'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
  ]);
  for (const offset of [0, 1, 2]) {
    const core = base64Core(bytes, offset);
    spellings.add(core);
    spellings.add(core.replaceAll('+', '-').replaceAll('/', '_'));
  }
  return spellings;
}

/** The base64 characters made only of the secret's bits when `offset` bytes (modulo 3) stand before it. */
function base64Core(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  const first = Math.ceil((offset * 8) / 6);
  const end = Math.floor(((offset + bytes.length) * 8) / 6);
  return text.slice(first, end);
}
