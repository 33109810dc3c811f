/** Bytes that are read in parts, so that a large document takes little memory. */
export interface ByteSource {
  /** Bytes in all. */
  readonly size: number;
  /** The bytes from `start` up to `end`, which is at most `size`; whoever asked may keep them. */
  read(start: number, end: number): Buffer;
}

/** A body that was written to a file while it came in. */
export interface SpooledBytes extends ByteSource {
  /** Of all of it, bare hex. */
  readonly sha256: string;
}

/** A file that is there for one request. */
export interface SpoolFile {
  /** Adds bytes; one call at a time. Throws `service_unavailable` where the disk is full. */
  write(bytes: Uint8Array): Promise<void>;
  /** What was written; it can be read until the file is closed. */
  finish(): SpooledBytes;
  /** Takes the file away. */
  close(): Promise<void>;
}

/** Where bodies lie that are too large to be held in memory. */
export interface Spool {
  open(): Promise<SpoolFile>;
}
