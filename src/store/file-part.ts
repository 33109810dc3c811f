import { readSync } from 'node:fs';

/** The bytes of an open file from `start` up to `end`; fewer where the file ends before. `into` has as many. */
export function filePart(
  fd: number,
  start: number,
  end: number,
  into: Buffer = Buffer.allocUnsafe(end - start),
): Buffer {
  for (let done = 0; done < into.length; ) {
    const read = readSync(fd, into, done, into.length - done, start + done);
    if (read === 0) return into.subarray(0, done);
    done += read;
  }
  return into;
}
