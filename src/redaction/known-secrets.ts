/** Every spelling searched for is at least this long; the search skips ahead by up to this many characters. */
const WINDOW = 8;
const TABLE_SIZE = 1 << 16;

/** Where a known secret stands: start inclusive, end exclusive. */
interface Interval {
  start: number;
  end: number;
}

/**
 * Finds many fixed strings in one pass (Wu and Manber): two characters at the end of an 8 character window say how far
 * the window may move, usually 7 characters, whatever the number of secrets.
 */
export class KnownSecrets {
  private readonly spellings = new Set<string>();
  private readonly shifts = new Uint8Array(TABLE_SIZE).fill(WINDOW - 1);
  private readonly buckets = new Map<number, string[]>();

  /** Adds a secret in all its spellings; those shorter than 8 characters are left out. */
  add(secret: string): void {
    for (const spelling of secretSpellings(secret)) {
      if (spelling.length < WINDOW || this.spellings.has(spelling)) continue;
      this.spellings.add(spelling);
      this.index(spelling);
    }
  }

  /** Where secrets stand, in order; overlapping ones become one interval. */
  find(text: string): Interval[] {
    const found: Interval[] = [];
    if (this.spellings.size === 0) return found;
    let at = WINDOW - 1;
    while (at < text.length) {
      // As blockAt does; spelled here because it runs for every few characters of all that is logged.
      const block = ((text.charCodeAt(at - 1) << 8) ^ text.charCodeAt(at)) & (TABLE_SIZE - 1);
      const shift = this.shifts[block] ?? 0;
      if (shift > 0) {
        at += shift;
        continue;
      }
      const start = at - WINDOW + 1;
      const length = this.longestAt(text, start, block);
      if (length > 0) join(found, { start, end: start + length });
      at += 1;
    }
    return found;
  }

  private index(spelling: string): void {
    for (let at = 1; at < WINDOW; at += 1) {
      const block = blockAt(spelling, at);
      this.shifts[block] = Math.min(this.shifts[block] ?? 0, WINDOW - 1 - at);
    }
    const last = blockAt(spelling, WINDOW - 1);
    const bucket = this.buckets.get(last);
    if (bucket === undefined) this.buckets.set(last, [spelling]);
    else bucket.push(spelling);
  }

  private longestAt(text: string, start: number, block: number): number {
    let longest = 0;
    for (const spelling of this.buckets.get(block) ?? []) {
      if (spelling.length > longest && text.startsWith(spelling, start)) longest = spelling.length;
    }
    return longest;
  }
}

/** A table index for the two characters that end at `at`; different pairs may share it. */
function blockAt(text: string, at: number): number {
  return ((text.charCodeAt(at - 1) << 8) ^ text.charCodeAt(at)) & (TABLE_SIZE - 1);
}

function join(found: Interval[], next: Interval): void {
  const last = found.at(-1);
  if (last === undefined || next.start >= last.end) found.push(next);
  else last.end = Math.max(last.end, next.end);
}

/**
 * The ways a secret is written in text that carries it: as it is, in a JSON string, URL-encoded, hex in both cases,
 * base64 and base64url. The base64 of a longer text that contains the secret (`user:secret`) has three alignments; of
 * each the characters that depend on the secret alone are listed.
 */
function secretSpellings(secret: string): Set<string> {
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
