import type { KV, KvEntry } from '@nats-io/kv';
import type { Logger } from '#protocol/ports.ts';
import type { Timers } from '../timers.ts';
import { pause } from './journal.ts';

const WATCH_AGAIN_MS = 500;

interface Following {
  timers: Timers;
  logger: Logger;
  /** Nothing is read any more. */
  isOver(): boolean;
}

/** Reads what a bucket has and what is written to it, and begins anew when the servers were away. */
export async function followBucket(
  bucket: KV,
  take: (entry: KvEntry) => void,
  { timers, logger, isOver }: Following,
): Promise<void> {
  while (!isOver()) {
    try {
      for await (const entry of await bucket.watch()) take(entry);
    } catch (error) {
      if (!isOver()) logger.warn({ err: error }, 'the table of partitions is read anew');
    }
    await pause(timers, WATCH_AGAIN_MS);
  }
}
