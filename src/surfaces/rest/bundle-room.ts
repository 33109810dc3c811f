import { ProtocolError } from '#protocol/errors.ts';
import type { Exchange } from '../http/exchange.ts';

/** An import of a large bundle takes longer; one that is answered sooner makes room sooner. */
const RETRY_AFTER_SECONDS = 5;

/** Bounds the bytes of all bundles that lie on the disk at once, those that wait for their turn included. */
export class BundleRoom {
  readonly #maxBytes: number;
  #taken = 0;

  /** `maxBytes`: of all of them together; one may be as large. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * Takes room for the body before it is read; all of it where the client does not say how long it is. Returns what gives the
   * room back. Throws `rate_limited` where others have it; a body that is too large on its own takes none, and is refused as that.
   */
  take({ req }: Exchange): () => void {
    const declared = req.headers['content-length'];
    const bytes = declared === undefined ? this.#maxBytes : Number(declared);
    if (bytes > this.#maxBytes) return () => {};
    if (this.#taken + bytes > this.#maxBytes) throw full(this.#maxBytes);
    this.#taken += bytes;
    return () => {
      this.#taken -= bytes;
    };
  }
}

function full(maxBytes: number): ProtocolError {
  const message = `Other bundles are at work, and all together may have ${maxBytes} bytes. Send this one again when they are done.`;
  return new ProtocolError('rate_limited', message, {
    details: { max_bytes: maxBytes },
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
