/** Reversed Castagnoli polynomial. */
const POLYNOMIAL = 0x82f63b78;
/** Bytes taken at a time, each through a table of its own: twice as fast as one byte at a time. */
const SLICES = 8;
const MASK_DELTA = 0xa282ead8;

const TABLE = makeTable();

/**
 * CRC-32C of `bytes` from `start` to before `end`, as LevelDB computes it (node:zlib has another polynomial). About
 * 600 MB/s.
 */
export function crc32c(bytes: Uint8Array, start: number, end: number): number {
  let crc = -1;
  let at = start;
  for (; at + SLICES <= end; at += SLICES) {
    crc ^=
      byte(bytes, at) |
      (byte(bytes, at + 1) << 8) |
      (byte(bytes, at + 2) << 16) |
      (byte(bytes, at + 3) << 24);
    crc =
      row(7, crc) ^
      row(6, crc >>> 8) ^
      row(5, crc >>> 16) ^
      row(4, crc >>> 24) ^
      row(3, byte(bytes, at + 4)) ^
      row(2, byte(bytes, at + 5)) ^
      row(1, byte(bytes, at + 6)) ^
      row(0, byte(bytes, at + 7));
  }
  for (; at < end; at += 1) crc = (crc >>> 8) ^ row(0, crc ^ byte(bytes, at));
  return (crc ^ -1) >>> 0;
}

/** The same, one byte at a time, for who looks for the end of a block. */
export class Crc32c {
  #crc = -1;

  add(byte: number): void {
    this.#crc = (this.#crc >>> 8) ^ row(0, this.#crc ^ byte);
  }

  get value(): number {
    return (this.#crc ^ -1) >>> 0;
  }
}

/** LevelDB stores no CRC as it is, since one over bytes that hold CRCs has weaknesses. */
export function maskCrc(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + MASK_DELTA) >>> 0;
}

/** Undoes the mask under which LevelDB stores a CRC. */
export function unmaskCrc(masked: number): number {
  const rotated = (masked - MASK_DELTA) >>> 0;
  return ((rotated >>> 17) | (rotated << 15)) >>> 0;
}

function byte(bytes: Uint8Array, at: number): number {
  return bytes[at] as number;
}

function row(slice: number, value: number): number {
  return TABLE[(slice << 8) | (value & 0xff)] as number;
}

function makeTable(): Int32Array {
  const table = new Int32Array(SLICES * 256);
  for (let value = 0; value < 256; value += 1) {
    let crc = value;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    table[value] = crc;
  }
  for (let at = 256; at < table.length; at += 1) {
    const before = table[at - 256] as number;
    table[at] = (before >>> 8) ^ (table[before & 0xff] as number);
  }
  return table;
}
