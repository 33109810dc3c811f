/** Extra length bytes of a literal begin at this value of its six length bits. */
const LONG_LITERAL = 60;

/** Undoes Snappy's raw format, of which LevelDB makes its blocks. The bytes must have passed their checksum before. */
export function unsnappy(bytes: Buffer): Buffer {
  const { value: size, next } = readVarint(bytes, 0);
  const out = Buffer.allocUnsafe(size);
  let from = next;
  let to = 0;
  while (from < bytes.length) {
    const { length, offset, next: after } = readTag(bytes, from);
    if (offset === 0) bytes.copy(out, to, after, after + length);
    else for (let at = to; at < to + length; at += 1) out[at] = out[at - offset] as number;
    from = offset === 0 ? after + length : after;
    to += length;
  }
  return out;
}

/** A little-endian base 128 number, at most 32 bits. */
export function readVarint(bytes: Buffer, start: number): { value: number; next: number } {
  let value = 0;
  let next = start;
  for (let scale = 1; ; scale *= 0x80) {
    const byte = bytes.readUInt8(next);
    next += 1;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) return { value, next };
  }
}

/** The same number written. */
export function writeVarint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

interface Tag {
  length: number;
  /** How far back the copied bytes begin; 0 for a literal, whose bytes follow. */
  offset: number;
  next: number;
}

function readTag(bytes: Buffer, at: number): Tag {
  const tag = bytes.readUInt8(at);
  const size = (tag >> 2) + 1;
  switch (tag & 3) {
    case 1:
      return {
        length: ((tag >> 2) & 7) + 4,
        offset: ((tag >> 5) << 8) | bytes.readUInt8(at + 1),
        next: at + 2,
      };
    case 2:
      return { length: size, offset: bytes.readUInt16LE(at + 1), next: at + 3 };
    case 3:
      return { length: size, offset: bytes.readUInt32LE(at + 1), next: at + 5 };
    default:
      return literalTag(bytes, at, tag >> 2);
  }
}

function literalTag(bytes: Buffer, at: number, lengthBits: number): Tag {
  if (lengthBits < LONG_LITERAL) return { length: lengthBits + 1, offset: 0, next: at + 1 };
  const extra = lengthBits - LONG_LITERAL + 1;
  return { length: bytes.readUIntLE(at + 1, extra) + 1, offset: 0, next: at + 1 + extra };
}
