import type { StateReader, StateWriter } from '#eventlog/event-log.ts';
import { stateKey } from '#resources/state-keys.ts';
import type { SaidMessage, TaskState, UpstreamMessageState } from '#resources/states.ts';

/** Messages an Outcome shows; the transcript has the rest. */
const MESSAGES_SHOWN = 50;
/** Newest Messages that the Task keeps the agent's ids of. Those of older ones are states of their own, so that a Task stays small. */
const IDS_KEPT = 16;

export function idOfSaid(said: SaidMessage): string {
  return typeof said === 'string' ? said : said[0];
}

/** What the agent of a Task said, with one more; the agent's id of the one that became too old moves to a state of its own. */
export function withSaid(
  states: StateWriter,
  { resource, internal }: TaskState,
  id: string,
  upstreamId: string | undefined,
): SaidMessage[] {
  const said = [...internal.said, upstreamId === undefined ? id : ([id, upstreamId] as const)];
  const at = said.length - 1 - IDS_KEPT;
  const old = said[at];
  if (typeof old === 'object') {
    const [message_id, oldId] = old;
    states.set(stateKey.upstreamMessage(resource.id, oldId), { message_id } satisfies UpstreamMessageState);
    said[at] = message_id;
  }
  return said.slice(-MESSAGES_SHOWN);
}

/** Id of the newest Message that the agent of a Task said under an id of its own. */
export function saidUnder(reader: StateReader, task: TaskState, upstreamId: string): string | undefined {
  const { said } = task.internal;
  for (let at = said.length - 1; at >= 0 && at >= said.length - IDS_KEPT; at -= 1) {
    const message = said[at];
    if (typeof message === 'object' && message[1] === upstreamId) return message[0];
  }
  if (said.length <= IDS_KEPT) return undefined;
  return reader.get<UpstreamMessageState>(stateKey.upstreamMessage(task.resource.id, upstreamId))?.message_id;
}
