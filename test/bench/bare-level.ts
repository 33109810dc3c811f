import { Level } from 'level';
import type { WriteOp } from '#store/store.ts';

const WRITE_BUFFER_BYTES = 32 * 1024 * 1024;

export type BareLevel = Level<string, Buffer>;

/** LevelDB without anything of ours, opened with the gateway's sizes. */
export async function openBareLevel(path: string): Promise<BareLevel> {
  const level = new Level<string, Buffer>(path, { keyEncoding: 'utf8', valueEncoding: 'buffer' });
  const files = { compression: true, cacheSize: 32 * 1024 * 1024, writeBufferSize: WRITE_BUFFER_BYTES };
  await level.open({ createIfMissing: true, ...files } as object);
  return level;
}

/** Writes each batch with fsync; the next one is filled while the one before is in flight, as group commit can. */
export async function writeBare(level: BareLevel, batches: readonly (readonly WriteOp[])[]): Promise<void> {
  let inFlight: Promise<void> = Promise.resolve();
  for (const ops of batches) {
    const batch = level.batch();
    for (const op of ops) {
      if (op.type === 'del') batch.del(op.key);
      else if (typeof op.value === 'string') batch.put(op.key, op.value, { valueEncoding: 'utf8' });
      else batch.put(op.key, op.value);
    }
    await inFlight;
    inFlight = batch.write({ sync: true } as object);
  }
  await inFlight;
}
