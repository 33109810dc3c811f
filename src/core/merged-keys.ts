import type { EventLog } from '#eventlog/event-log.ts';

/** Pages of the distinct members of several lists, in the order of their ids; one page of each list is in memory. */
export async function* keysOfAll(
  log: Pick<EventLog, 'indexKeys'>,
  prefixes: readonly string[],
  limit: number,
): AsyncGenerator<string[], void> {
  let after = '';
  for (let size = limit; size === limit; ) {
    const heads = await Promise.all(
      prefixes.map(async (prefix) => {
        const keys = await log.indexKeys({ gt: prefix + after, lt: `${prefix}~`, limit });
        return keys.map((key) => key.slice(prefix.length));
      }),
    );
    const page = [...new Set(heads.flat())].sort().slice(0, limit);
    if (page.length > 0) yield page;
    size = page.length;
    after = page.at(-1) ?? after;
  }
}
