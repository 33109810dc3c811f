import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lanes } from '#runner/task-runner.ts';

/** Lanes whose tasks run until the test ends them; every session is free but those with a running task. */
function stage(total = 1, perRoute: Record<string, number> = {}) {
  const lanes = new Lanes({ total, perRoute: (route) => perRoute[route] ?? total });
  const busy = new Map<string, string>();
  const sessions = new Map<string, { tenant: string; sessionId: string; route: string }>();
  let looks = 0;
  const wait = (taskId: string, tenant: string, sessionId = `session-of-${taskId}`, route = 'a2a:x') => {
    sessions.set(taskId, { tenant, sessionId, route });
    lanes.wait(taskId, { tenant, sessionId, route });
  };
  const start = () => {
    const begun: string[] = [];
    const isFree = (sessionId: string) => {
      looks += 1;
      return !busy.has(sessionId);
    };
    for (const taskId of lanes.startable(isFree)) {
      const { sessionId = '', route = '' } = sessions.get(taskId) ?? {};
      lanes.take(taskId, route);
      busy.set(sessionId, taskId);
      begun.push(taskId);
    }
    return begun;
  };
  const end = (taskId: string) => {
    lanes.release(taskId);
    busy.delete(sessions.get(taskId)?.sessionId ?? '');
  };
  return { lanes, wait, start, end, looks: () => looks };
}

describe('the queue of tasks', () => {
  it('lets the first task of a tenant pass 10,000 of another one', () => {
    const { lanes, wait, start, end, looks } = stage();
    for (let n = 0; n < 10_000; n += 1) wait(`big-${n}`, 'big', `session-${n % 2_000}`);
    expect(start()).toEqual(['big-0']);
    wait('small-0', 'small');
    wait('other-0', 'other');
    end('big-0');
    // Each has its turn, and starting one of 10,000 looks at a few of them.
    const before = looks();
    const order: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const [begun = ''] = start();
      order.push(begun);
      end(begun);
    }
    expect(order).toEqual(['small-0', 'other-0', 'big-1', 'big-2']);
    expect(looks() - before).toBeLessThanOrEqual(8);
    expect(lanes.waitingCount).toBe(9_997);
  });

  it('gives each tenant as many of the free slots as the others while it has tasks', () => {
    const { wait, start } = stage(9);
    for (let n = 0; n < 50; n += 1) wait(`a-${n}`, 'a');
    for (let n = 0; n < 2; n += 1) wait(`b-${n}`, 'b');
    for (let n = 0; n < 50; n += 1) wait(`c-${n}`, 'c');
    expect(start()).toEqual(['a-0', 'b-0', 'c-0', 'a-1', 'b-1', 'c-1', 'a-2', 'c-2', 'a-3']);
  });

  it('goes on with whose turn is next when the next slot is free', () => {
    const { wait, start, end } = stage(1);
    for (let n = 0; n < 5; n += 1) for (const tenant of ['a', 'b', 'c']) wait(`${tenant}-${n}`, tenant);
    const order: string[] = [];
    for (let [running] = start(); running !== undefined; [running] = start()) {
      order.push(running);
      end(running);
    }
    expect(order.map((taskId) => taskId[0]).join('')).toBe('abcabcabcabcabc');
  });

  it('looks at no task of a route without a slot', () => {
    const { wait, start, looks } = stage(100, { 'a2a:full': 1 });
    for (let n = 0; n < 1_000; n += 1) wait(`full-${n}`, 'a', `full-session-${n}`, 'a2a:full');
    expect(start()).toEqual(['full-0']);
    const before = looks();
    wait('free-0', 'a', 'free-session', 'a2a:free');
    expect(start()).toEqual(['free-0']);
    expect(looks() - before).toBe(1);
  });

  it('starts the tasks of a session in their order, one at a time, whatever their routes are', () => {
    const { lanes, wait, start, end } = stage(10);
    wait('one', 't', 's', 'a2a:x');
    wait('two', 't', 's', 'a2a:y');
    wait('three', 't', 's', 'a2a:x');
    expect(start()).toEqual(['one']);
    expect(start()).toEqual([]);
    lanes.forget('two');
    end('one');
    expect(start()).toEqual(['three']);
  });

  it('keeps the place of a task that is told of again, and passes over one that is not taken', () => {
    const { lanes, wait } = stage(5);
    wait('one', 't');
    wait('two', 't');
    wait('one', 't');
    expect([...lanes.startable(() => true)]).toEqual(['one', 'two']);
    expect(lanes.waitingCount).toBe(2);
    lanes.keepOnly(new Set());
    expect([lanes.waitingCount, [...lanes.startable(() => true)]]).toEqual([0, []]);
  });

  it('shares a full queue among those who wait in it', () => {
    const { lanes, wait } = stage();
    for (let n = 0; n < 12; n += 1) wait(`a-${n}`, 'a');
    expect([lanes.hasShare('a', 12), lanes.hasShare('b', 12)]).toEqual([false, true]);
    for (let n = 0; n < 6; n += 1) wait(`b-${n}`, 'b');
    expect([lanes.hasShare('b', 12), lanes.hasShare('c', 12)]).toEqual([false, true]);
    for (let n = 0; n < 12; n += 1) lanes.forget(`a-${n}`);
    expect(lanes.hasShare('b', 12)).toBe(true);
  });

  it('loses and repeats no task, however tasks come, start and end', () => {
    const step = fc.record({
      tenant: fc.integer({ min: 0, max: 3 }),
      session: fc.integer({ min: 0, max: 6 }),
      ends: fc.nat({ max: 3 }),
    });
    fc.assert(
      fc.property(
        fc.array(step, { minLength: 1, maxLength: 120 }),
        fc.integer({ min: 1, max: 4 }),
        (steps, total) => {
          const { lanes, wait, start, end } = stage(total, { 'a2a:1': 1 });
          const running: string[] = [];
          const order: string[] = [];
          const begin = () => {
            const begun = start();
            running.push(...begun);
            order.push(...begun);
            expect(running.length).toBeLessThanOrEqual(total);
          };
          steps.forEach(({ tenant, session, ends }, n) => {
            wait(`task-${n}`, `t${tenant}`, `s${tenant}-${session}`, `a2a:${session % 2}`);
            begin();
            for (const taskId of running.splice(0, ends)) end(taskId);
          });
          while (running.length > 0 || lanes.waitingCount > 0) {
            for (const taskId of running.splice(0, 1)) end(taskId);
            begin();
            expect(running.length + lanes.waitingCount === 0 || running.length > 0).toBe(true);
          }
          expect(new Set(order).size).toBe(steps.length);
          for (const tenant of [0, 1, 2, 3])
            for (const session of [0, 1, 2, 3, 4, 5, 6]) {
              const ofSession = (n: number) => steps[n]?.tenant === tenant && steps[n]?.session === session;
              const mine = order.map((taskId) => Number(taskId.slice('task-'.length))).filter(ofSession);
              expect(mine).toEqual([...mine].sort((one, other) => one - other));
            }
        },
      ),
      { numRuns: 300 },
    );
  });
});
