import type { KV, KvEntry } from '@nats-io/kv';
import type { Logger } from '#protocol/ports.ts';
import type { Timers } from '../timers.ts';
import { pause } from './journal.ts';

const WATCH_AGAIN_MS = 500;

/**
 * Reads what a bucket has and what is written to it, and begins anew when the servers were away. Returns what ends that, to be called
 * before the connection is closed: what is still watched then is asked for, and complained of, for ever.
 */
export function followBucket(
  bucket: KV,
  take: (entry: KvEntry) => void,
  { timers, logger }: { timers: Timers; logger: Logger },
): () => void {
  let isOver = false;
  let watched: Awaited<ReturnType<KV['watch']>> | undefined;
  const follow = async () => {
    while (!isOver) {
      try {
        watched = await bucket.watch();
        if (isOver) watched.stop();
        for await (const entry of watched) take(entry);
      } catch (error) {
        if (!isOver) logger.warn({ err: error }, 'the table of partitions is read anew');
      }
      if (!isOver) await pause(timers, WATCH_AGAIN_MS);
    }
  };
  void follow();
  return () => {
    isOver = true;
    watched?.stop();
  };
}
