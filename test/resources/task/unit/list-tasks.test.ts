import { describe, expect, it } from 'vitest';
import type { QueryTools } from '#core/query.ts';
import { listFiltered } from '#resources/task/queries.ts';
import type { Task } from '#resources/task/schema.ts';
import { taskKeys } from '#resources/task/state.ts';

const COUNT = 25_000;
const PREFIXES = ['one/', 'two/'];
const idOf = (n: number) => `task_${String(n).padStart(26, '0')}`;
const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString();
const numberOf = (id: string) => Number(id.slice('task_'.length));

/**
 * Every seventh Task is REJECTED; the oldest five run on a route of their own; the oldest of all ended last. The next one still
 * works, and got a chunk of an artifact after all of that.
 */
function taskOf(n: number): Task {
  if (n === 1) return { ...taskOf(2), id: idOf(1), ...working };
  const failed = n % 7 === 0;
  const times = { created_at: at(n), updated_at: at(n), completed_at: at(n === 0 ? COUNT : n) };
  return {
    id: idOf(n),
    object: 'task',
    ...times,
    status: failed ? 'FAILED' : 'COMPLETED',
    ...(failed ? { failure: { code: 'rejected', message: 'no' } } : {}),
    assigned_agent_id: n < 5 ? 'a2a:old' : 'a2a:shop',
    persona_id: null,
  } as unknown as Task;
}

const working = {
  created_at: at(1),
  updated_at: at(COUNT + 1),
  completed_at: null,
  status: 'WORKING',
} as const;

/** Tasks in two workspaces in turn; tells how many keys were read at once. */
function manyTasks() {
  const reads: number[] = [];
  const keys = (prefix: string, end: string) => {
    const numbers: number[] = [];
    const parity = PREFIXES.indexOf(prefix);
    const top = end.startsWith(`${prefix}task_`) ? numberOf(end.slice(prefix.length)) - 1 : COUNT - 1;
    for (let n = top - ((top - parity + 2) % 2); n >= 0; n -= 2) numbers.push(n);
    return numbers;
  };
  const tools = {
    caller: { tenant: 'tenant_default', scopes: new Set(['*']) },
    log: {
      indexKeys: async ({ gt = '', lt = '', limit }: { gt?: string; lt?: string; limit: number }) => {
        const found = keys(gt, lt).slice(0, limit);
        reads.push(found.length);
        return found.map((n) => gt + idOf(n));
      },
    },
    reader: {
      get: (key: string) => ({
        resource: taskOf(numberOf(key.slice(taskKeys.task('').length))),
        internal: { status_at: at(1) },
      }),
    },
  } as unknown as QueryTools;
  return { tools, reads };
}

async function pageOf(tools: QueryTools, query: object) {
  const answer = await listFiltered(tools, PREFIXES, { sort: 'created', limit: 50, ...query } as never);
  if (answer.body.kind !== 'json') throw new Error('no JSON');
  return answer.body.value as unknown as { data: Task[]; next_cursor: string | null; total?: number };
}

async function allPages(tools: QueryTools, query: object) {
  const ids: string[] = [];
  let cursor: string | null = null;
  let pages = 0;
  do {
    const page = await pageOf(tools, { ...query, ...(cursor === null ? {} : { cursor }) });
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.next_cursor;
    pages += 1;
  } while (cursor !== null);
  return { ids, pages };
}

describe('a list of Tasks with a filter', () => {
  it('finds what is behind 25,000 others: a page may be short, and the next one goes on there', async () => {
    const { tools, reads } = manyTasks();
    const { ids, pages } = await allPages(tools, { route: 'a2a:old' });
    expect(ids).toEqual([4, 3, 2, 1, 0].map(idOf));
    expect(pages).toBe(3);
    expect(Math.max(...reads)).toBeLessThanOrEqual(200);
  });

  it('tells each Task once, newest first, over workspaces and pages', async () => {
    const { tools } = manyTasks();
    const { ids } = await allPages(tools, { rejected: 'true', limit: 200 });
    const rejected = Array.from({ length: COUNT }, (_, n) => COUNT - 1 - n).filter((n) => n % 7 === 0);
    expect(ids).toEqual(rejected.map(idOf));
  });

  it('stops reading when its page is full', async () => {
    const { tools, reads } = manyTasks();
    const { data } = await pageOf(tools, { status: 'COMPLETED', rejected: 'false' });
    expect(data).toHaveLength(50);
    expect(reads.length).toBe(2);
  });

  it('by the time of the status counts all: what ended last is first, and chunks of an artifact move nothing', async () => {
    const { tools } = manyTasks();
    const first = await pageOf(tools, { sort: 'status_time', rejected: 'false', limit: 3 });
    expect(first.total).toBe(COUNT - Math.ceil(COUNT / 7));
    const all = await pageOf(tools, { sort: 'status_time', limit: 3 });
    expect(all.data.map(({ id }) => id)).toEqual([0, COUNT - 1, COUNT - 2].map(idOf));
    const next = await pageOf(tools, { sort: 'status_time', limit: 2, cursor: all.next_cursor });
    expect(next.data.map(({ id }) => id)).toEqual([COUNT - 3, COUNT - 4].map(idOf));
    const since = await pageOf(tools, { sort: 'status_time', status: 'WORKING', status_since: at(1) });
    expect(since.data.map(({ id }) => id)).toEqual([idOf(1)]);
    expect((await pageOf(tools, { status: 'WORKING', status_since: at(2) })).data).toEqual([]);
  });
});
