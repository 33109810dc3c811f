import { readSync } from 'node:fs';

/** The bytes of an open file from `start` up to `end`; fewer where the file ends before. */
export function filePart(fd: number, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start);
  for (let done = 0; done < bytes.length; ) {
    const read = readSync(fd, bytes, done, bytes.length - done, start + done);
    if (read === 0) return bytes.subarray(0, done);
    done += read;
  }
  return bytes;
}
