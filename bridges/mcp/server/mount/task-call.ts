import type { FaceDeps, FaceTimers } from '#face.ts';
import type { JsonObject } from '#protocol/json.ts';
import { CallRounds } from '../../client/call-rounds.ts';
import { FIXED_LIMITS } from '../../client/config.ts';
import { type CallOptions, type Connection, GIVEN_UP, TIMED_OUT } from '../../client/connection.ts';
import { NOBODY } from '../../client/session-connections.ts';

/**
 * The result of a tool that its server runs only as a task, for a client that knows no tasks of that revision. What is given
 * up is canceled there. Rejects like a connection. Spec: MCP 2025-11-25, "Tasks".
 */
export async function callAsTask(
  connection: Connection,
  params: JsonObject,
  options: CallOptions,
  { clock, timers }: Pick<FaceDeps, 'clock' | 'timers'>,
): Promise<JsonObject> {
  const { onProgress, ...bounds } = options;
  const since = clock.monotonic();
  let taskId: string | undefined;
  const call = (given: JsonObject) => connection.request('tools/call', given, options);
  const request = (method: string, about: JsonObject) => connection.request(method, about, bounds);
  const rounds = new CallRounds(
    {
      call,
      request,
      poll: (method, about) => {
        if (clock.monotonic() - since > options.totalTimeoutMs) throw TIMED_OUT;
        return request(method, about);
      },
      // What the server asks comes on its connection, and goes to the client from there.
      ask: (method, about) => NOBODY.asked(method, about, options.signal),
      wait: (ms) => waited(timers, ms, options.signal),
      // The words of a task come without a number, and progress of a client has one.
      progress: () => undefined,
      asksInRound: () => undefined,
      answersRound: () => undefined,
      becomesTask: (id) => {
        taskId = id;
      },
    },
    false,
  );
  const asTask = { ...params, task: {} };
  try {
    return await rounds.finish(asTask, await call(asTask));
  } catch (error) {
    const isLeft = options.signal.aborted || error === TIMED_OUT;
    if (taskId !== undefined && isLeft) await cancelTask(connection, taskId);
    throw error;
  }
}

/** A server that does not hear of it goes on by itself; there is nobody left to tell. */
async function cancelTask(connection: Connection, taskId: string): Promise<void> {
  const { cancelMs: ms } = FIXED_LIMITS;
  const { signal } = new AbortController();
  const bounds = { signal, idleTimeoutMs: ms, totalTimeoutMs: ms };
  await connection.request('tasks/cancel', { taskId }, bounds).catch(() => undefined);
}

function waited(timers: FaceTimers, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      stop();
      reject(GIVEN_UP);
    };
    const stop = timers.after(ms, () => {
      signal.removeEventListener('abort', leave);
      resolve();
    });
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
  });
}
