import type { ByteSource } from '#protocol/bytes.ts';

/** A document that is in memory already. */
export function inMemory(bytes: Buffer): ByteSource {
  return { size: bytes.length, read: (start, end) => bytes.subarray(start, end) };
}

/** Single bytes of a source, most of them from the part that is held. */
export class ByteWindow {
  readonly #source: ByteSource;
  readonly #bytes: number;
  #held: Buffer = Buffer.alloc(0);
  #from = 0;

  /** `bytes`: held at a time. */
  constructor(source: ByteSource, bytes: number) {
    this.#source = source;
    this.#bytes = bytes;
  }

  get size(): number {
    return this.#source.size;
  }

  /** Undefined behind the end. */
  at(place: number): number | undefined {
    const offset = place - this.#from;
    if (offset >= 0 && offset < this.#held.length) return this.#held[offset];
    if (place >= this.#source.size) return undefined;
    this.#move(place);
    return this.#held[0];
  }

  read(start: number, end: number): Buffer {
    if (end - start > this.#bytes) return this.#source.read(start, end);
    if (start < this.#from || end > this.#from + this.#held.length) this.#move(start);
    return this.#held.subarray(start - this.#from, end - this.#from);
  }

  #move(start: number): void {
    this.#held = this.#source.read(start, Math.min(start + this.#bytes, this.#source.size));
    this.#from = start;
  }
}
