import type { EventLog } from '#eventlog/event-log.ts';
import { keysUnder } from '#store/keys.ts';

/** Keys listed at once. */
const PAGE = 200;

/** All durable keys with the prefix, which ends in `/`, in order. What is removed meanwhile is passed over. */
export async function* keysOf(
  log: Pick<EventLog, 'indexKeys'>,
  prefix: string,
): AsyncGenerator<string, void> {
  const { gte, lt } = keysUnder(prefix);
  let page = await log.indexKeys({ gte, lt, limit: PAGE });
  while (page.length > 0) {
    yield* page;
    page = await log.indexKeys({ gt: page.at(-1) ?? lt, lt, limit: PAGE });
  }
}
