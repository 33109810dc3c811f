import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inspectCertificate, inspectDisk, nearestDirectory } from '#operation/machine.ts';
import { CERT, KEY } from '../surfaces/tls-fixture.ts';

const DAY_MS = 86_400_000;
let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'harn-machine-'));
  writeFileSync(join(dir, 'cert.pem'), CERT);
  writeFileSync(join(dir, 'key.pem'), KEY);
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const certificate = (nowMs: number) =>
  inspectCertificate({ cert: join(dir, 'cert.pem'), key: join(dir, 'key.pem') }, nowMs);

it('says how long a certificate is good, and when it is not yet or no longer', () => {
  const now = Date.now();
  const { daysLeft, fault } = certificate(now);
  expect(fault).toBeUndefined();
  expect(certificate(now + 3 * DAY_MS).daysLeft).toBe(daysLeft - 3);
  expect(certificate(now + (daysLeft + 2) * DAY_MS).fault).toMatch(/^expired on /);
  expect(certificate(0).fault).toMatch(/^is valid from .* only$/);
});

it('measures the disk, its room and its time by the clock it is given, and leaves nothing behind', () => {
  let ms = 0;
  const ahead = inspectDisk(dir, { now: () => Date.now() - 60_000, monotonic: () => (ms += 7) });
  expect(ahead).toMatchObject({ fsyncMs: 7, isMonotonic: true });
  expect(ahead.freeBytes).toBeGreaterThan(0);
  expect(Math.abs(ahead.skewMs - 60_000)).toBeLessThan(10_000);
  const stopped = inspectDisk(dir, { now: () => Date.now(), monotonic: () => 5 });
  expect(stopped).toMatchObject({ fsyncMs: 0, isMonotonic: false });
  expect(readdirSync(dir).sort()).toEqual(['cert.pem', 'key.pem']);
});

it('finds the nearest directory that exists', () => {
  expect(nearestDirectory(join(dir, 'not', 'there'))).toBe(dir);
});
