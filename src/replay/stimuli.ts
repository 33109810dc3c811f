import type { Event } from '../eventlog/event-log.ts';
import { isBlocked, type TaskStatus } from '../protocol/task-states.ts';
import type { History, MissingDependency, Stimulus } from './history.ts';
import type { RecordedFrame } from './recorded-frame.ts';

/** Reasons that only the end of a task, or its going on, gives; no person and no deadline does. */
const LEFT: ReadonlySet<unknown> = new Set([
  'task_completed',
  'task_failed',
  'canceled',
  'continued_by_agent',
]);

/** Kinds told about a run beside it: a replay makes its own. */
const BESIDE = /^(receipt|replay)\./;

/** Cuts the history of a run into what came from outside, in the order it came. */
export function stimuliOf(history: History): Stimulus[] {
  const events = runOf(history);
  const found: Stimulus[] = [];
  let at = 0;
  for (const frame of history.frames) {
    const outside = countWhile(events, at, ({ id }) => id <= frame.after);
    found.push(...outsideFrames(events.slice(at, at + outside)));
    at += outside;
    const own = events.slice(at, at + ownEvents(events, at, frame));
    found.push({ kind: 'frame', frame, events: own });
    at += own.length;
  }
  return [...found, ...outsideFrames(events.slice(at))];
}

/** The events of the run itself: what was told about it, and what came after it had ended, is not replayed. */
export function runOf({ events, frames }: Pick<History, 'events' | 'frames'>): Event[] {
  const isFromFrame = (id: string) =>
    frames.some(({ after, events: count }) => id > after && number(id) <= number(after) + count);
  let ended = false;
  return events.filter((event) => {
    if (BESIDE.test(event.event) || (ended && !isFromFrame(event.id))) return false;
    ended ||= isEnd(event);
    return true;
  });
}

/** The first event or frame that the others speak of and that is not there. */
export function firstMissing({ events, frames, route }: History): MissingDependency | undefined {
  const keys = new Set(frames.map(({ key }) => key));
  const ids = new Set(events.map(({ id }) => id));
  if (events[0]?.event !== 'task.submitted' && !events.some(({ event }) => event === 'task.submitted'))
    return { kind: 'event', id: events[0]?.id ?? 'task.submitted' };
  for (const { payload, actor, id } of events) {
    const material = payload['material'];
    if (typeof material === 'string' && !keys.has(material)) return { kind: 'frame', id: material };
    if (actor === route && !frames.some((frame) => isWithin(frame, id)))
      return { kind: 'frame', id: `${route} at event ${id}` };
  }
  for (const frame of frames)
    for (let n = 1; n <= frame.events; n += 1) {
      const id = String(number(frame.after) + n).padStart(frame.after.length, '0');
      if (!ids.has(id)) return { kind: 'event', id };
    }
  return undefined;
}

function isWithin({ after, events }: RecordedFrame, id: string): boolean {
  return id > after && number(id) <= number(after) + events;
}

function ownEvents(events: readonly Event[], at: number, frame: RecordedFrame): number {
  return countWhile(events, at, ({ id }) => isWithin(frame, id));
}

/** A transition takes what it caused on its way; everything else stands for itself. */
function outsideFrames(events: readonly Event[]): Stimulus[] {
  const found: Stimulus[] = [];
  const caused: Event[] = [];
  for (const event of events) {
    if (isMove(event)) found.push({ kind: 'move', event, events: [...caused.splice(0), event] });
    else if (isCaused(event)) caused.push(event);
    else found.push(...given(caused.splice(0)), { kind: 'given', event, events: [event] });
  }
  return [...found, ...given(caused)];
}

function given(events: readonly Event[]): Stimulus[] {
  return events.map((event) => ({ kind: 'given', event, events: [event] }));
}

/** A gateway that holds a task back asks in its own words, so that one is given. */
function isMove({ event, payload }: Event): boolean {
  const { status, synthesized } = payload as { status?: TaskStatus; synthesized?: boolean };
  return MOVES.has(event) && status !== undefined && !isBlocked(status) && synthesized !== true;
}

const MOVES: ReadonlySet<string> = new Set([
  'task.started',
  'task.status_changed',
  'task.completed',
  'task.failed',
  'task.canceled',
]);

/** What `moveTask` appends before the transition itself. */
function isCaused({ event, payload }: Event): boolean {
  if (event === 'span.failed') return true;
  if (event === 'task.status_changed' || event === 'task.started') return payload['synthesized'] === true;
  if (event === 'artifact.updated')
    return (
      payload['store'] === 'parts' && payload['last_chunk'] === true && payload['material'] === undefined
    );
  const { response } = payload as { response?: { reason?: unknown; reviewer?: unknown } };
  return response?.reviewer === null && LEFT.has(response.reason);
}

function isEnd({ event }: Event): boolean {
  return event === 'task.completed' || event === 'task.failed' || event === 'task.canceled';
}

function countWhile(events: readonly Event[], from: number, test: (event: Event) => boolean): number {
  let at = from;
  for (let event = events[at]; event !== undefined && test(event); event = events[at]) at += 1;
  return at - from;
}

function number(id: string): number {
  return Number(id);
}
