/**
 * A process with a LevelDB store, for faults that need one of its own: resource limits, injected system calls, SIGKILL.
 *   store-child.js open <path>                 prints {"opened":true} or the refusal
 *   store-child.js write <path> <first> <n> <buffer>
 *     writes records from number <first>, reopens after a fence, and ends after <n> records were acknowledged behind the
 *     first fence; <buffer> is the size of the write-ahead log in bytes
 * Lines of `write`: ack <n> | failed <n> <code> | full | reopened.
 */
import { createHash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { openLevelStore } from '#store/level-store.ts';
import type { Store } from '#store/store.ts';
import { StoreOpenError } from '#store/store-errors.ts';

const REOPEN_PAUSE_MS = 20;
/** Any of the faults comes long before. */
const RECORD_LIMIT = 20_000;

export const recordKey = (n: number): string => `k/${String(n).padStart(8, '0')}`;

/** 4,000 bytes that only this record has and that compress by half. */
export function recordValue(n: number): Buffer {
  const half = createHash('shake256', { outputLength: 2_000 }).update(String(n)).digest();
  return Buffer.concat([half, half]);
}

const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};

async function tryOpen(path: string): Promise<void> {
  try {
    const store = await openLevelStore({ path });
    await store.close();
    say(JSON.stringify({ opened: true }));
  } catch (error) {
    if (!(error instanceof StoreOpenError)) throw error;
    say(JSON.stringify({ opened: false, reason: error.reason, ownerPid: error.ownerPid ?? null }));
  }
}

async function writeOn(path: string, first: number, wanted: number, writeBufferBytes: number): Promise<void> {
  const store = await openLevelStore({ path, writeBufferBytes });
  let behindFence: number | undefined;
  for (let n = first; behindFence === undefined || behindFence < wanted; n += 1) {
    if (n - first === RECORD_LIMIT) throw new Error('nothing failed');
    try {
      await store.write([{ type: 'put', key: recordKey(n), value: recordValue(n) }]);
      say(`ack ${n}`);
      if (behindFence !== undefined) behindFence += 1;
    } catch (error) {
      say(`failed ${n} ${error instanceof Error && 'code' in error ? String(error.code) : String(error)}`);
      behindFence ??= 0;
      await reopen(store, first);
    }
  }
  await store.close();
}

/** While the disk has no room the store must go on reading. */
async function reopen(store: Store, readable: number): Promise<void> {
  for (;;) {
    try {
      await store.reopen();
      say('reopened');
      return;
    } catch (error) {
      const read = store.get(recordKey(readable))?.equals(recordValue(readable));
      say(read === true ? 'full' : `lost its reads: ${String(error)}`);
      await pause(REOPEN_PAUSE_MS);
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [mode, path = '', first, wanted, buffer] = process.argv.slice(2);
  if (mode === 'open') await tryOpen(path);
  else await writeOn(path, Number(first), Number(wanted), Number(buffer));
}
