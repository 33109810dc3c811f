/**
 * Preloaded into a process (`--import`), lets a test move its wall clock: on SIGUSR2 it is as many milliseconds ahead of the real one as
 * the file says that `HARN_TEST_CLOCK` names. The monotonic clock stays.
 */
import { readFileSync } from 'node:fs';

const file = process.env['HARN_TEST_CLOCK'];
if (file === undefined) throw new Error('HARN_TEST_CLOCK names no file.');
const RealDate = Date;
let aheadMs = 0;

const now = () => RealDate.now() + aheadMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: unknown[], self) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, self) as object,
  get: (target, name, self) => (name === 'now' ? now : Reflect.get(target, name, self)),
});

process.on('SIGUSR2', () => {
  aheadMs = Number(readFileSync(file, 'utf8'));
});
