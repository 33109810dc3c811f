import { createPrivateKey, X509Certificate } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { createServer, isIP } from 'node:net';
import { dirname, join } from 'node:path';
import type { Clock } from '#protocol/ports.ts';

/** As much as a small group of commits writes. */
const WRITTEN = Buffer.alloc(4_096, 1);
/** What is made to look at a directory, and removed again. */
const PROBE = '.doctor-';
/** Enough for a median that one slow write does not move. */
const WRITES = 21;
const MS_OF_DAY = 86_400_000;

/** What a few durable writes in a directory showed. */
export interface DiskSight {
  /** Median of the time that a write of 4 KiB takes until it is durable (fsync), in milliseconds. */
  fsyncMs: number;
  freeBytes: number;
  /** How far the time of the file system is from that of the clock, in milliseconds; positive: it is ahead. */
  skewMs: number;
  /** False: the monotonic clock stood still or went back between two writes. */
  isMonotonic: boolean;
}

/** The directory itself, or the nearest one above it that exists. */
export function nearestDirectory(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestDirectory(dirname(path));
}

export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Whether this user may make files in a directory: tried, as the rights of some file systems promise what they refuse. */
export function isWritable(dir: string): boolean {
  try {
    rmdirSync(mkdtempSync(join(dir, PROBE)));
    return true;
  } catch {
    return false;
  }
}

/** Writes in a directory of its own under `dir` and removes it again. Throws the error of the file system. */
export function inspectDisk(dir: string, clock: Clock): DiskSight {
  const own = mkdtempSync(join(dir, PROBE));
  try {
    const file = join(own, 'written');
    const ended = [clock.monotonic()];
    const open = openSync(file, 'w', 0o600);
    try {
      for (let write = 0; write < WRITES; write += 1) {
        writeSync(open, WRITTEN);
        fsyncSync(open);
        ended.push(clock.monotonic());
      }
    } finally {
      closeSync(open);
    }
    const skewMs = Math.round(statSync(file).mtimeMs - clock.now());
    const took = ended.slice(1).map((at, index) => at - (ended[index] ?? at));
    const { bavail, bsize } = statfsSync(dir);
    return {
      fsyncMs: took.toSorted((one, other) => one - other)[WRITES >> 1] ?? 0,
      freeBytes: bavail * bsize,
      skewMs,
      isMonotonic: took.every((ms) => ms > 0),
    };
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** How a certificate and its key are. */
export interface CertificateSight {
  /** Whole days until it expires; negative: since. */
  daysLeft: number;
  /** Why clients would refuse it now. */
  fault?: string;
}

/**
 * `cert` and `key` are PEM files; no key where it is another's certificate. `name`: the host or address that clients connect to, where
 * they see this one. Throws the error of the file system or of the reader, which holds nothing of the files.
 */
export function inspectCertificate(
  { cert, key }: { cert: string; key?: string },
  nowMs: number,
  name?: string,
): CertificateSight {
  const certificate = new X509Certificate(readFileSync(cert));
  const endsMs = Date.parse(certificate.validTo);
  const daysLeft = Math.floor((endsMs - nowMs) / MS_OF_DAY);
  const faultOf = (): string | undefined => {
    if (nowMs > endsMs) return `expired on ${certificate.validTo}`;
    if (nowMs < Date.parse(certificate.validFrom)) return `is valid from ${certificate.validFrom} only`;
    if (key !== undefined && !certificate.checkPrivateKey(createPrivateKey(readFileSync(key))))
      return 'is not for the configured key';
    if (name === undefined) return undefined;
    const named = isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name);
    return named === undefined ? `is not for ${name}` : undefined;
  };
  const fault = faultOf();
  return { daysLeft, ...(fault === undefined ? {} : { fault }) };
}

/** The error of listening there now; undefined where it works. */
export function listenError(host: string, port: number): Promise<Error | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', resolve);
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}
