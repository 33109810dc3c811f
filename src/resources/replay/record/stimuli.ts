import type { Event } from '#eventlog/event-log.ts';
import { eventNumberOf } from '#protocol/ports.ts';
import { isBlocked, type TaskStatus } from '#protocol/task-states.ts';
import type { History, MissingDependency, Stimulus } from './history.ts';
import type { PlacedFrame, RecordedFrame } from './recorded-frame.ts';

/** Reasons that only the end of a task, or its going on, gives; no person and no deadline does. */
const LEFT: ReadonlySet<unknown> = new Set([
  'task_completed',
  'task_failed',
  'canceled',
  'continued_by_agent',
]);

/** Kinds recorded about a run beside it: a replay makes its own. */
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

/** The events of the run itself: what was recorded about it, and what came after it had ended, is not replayed. */
export function runOf({ events, frames }: Pick<History, 'events' | 'frames'>): Event[] {
  const isFromFrame = (id: string) =>
    frames.some(
      ({ after, events: count }) => id > after && eventNumberOf(id) <= eventNumberOf(after) + count,
    );
  let ended = false;
  return events.filter((event) => {
    if (BESIDE.test(event.event) || (ended && !isFromFrame(event.id))) return false;
    ended ||= isEnd(event);
    return true;
  });
}

/** How many events each frame became: those of its agent that follow it without a gap, up to the next frame. */
export function placeFrames(
  frames: readonly RecordedFrame[],
  events: readonly Event[],
  route: string,
): PlacedFrame[] {
  const actors = new Map(events.map(({ id, actor }) => [eventNumberOf(id), actor]));
  return frames.map((frame, at) => {
    const limit = frames[at + 1] ? eventNumberOf(frames[at + 1]?.after ?? '') : Number.POSITIVE_INFINITY;
    let count = 0;
    for (let id = eventNumberOf(frame.after) + 1; id <= limit && actors.get(id) === route; id += 1)
      count += 1;
    return { ...frame, events: count };
  });
}

/** The first event or frame that the others speak of and that is not there. */
export function firstMissing({ events, frames, route }: History): MissingDependency | undefined {
  const keys = new Set(frames.map(({ key }) => key));
  if (events[0]?.event !== 'task.submitted' && !events.some(({ event }) => event === 'task.submitted'))
    return { kind: 'event', id: events[0]?.id ?? 'task.submitted' };
  const gap = gapIn(events);
  if (gap) return gap;
  for (const { payload, actor, id } of events) {
    const material = payload['material'];
    if (typeof material === 'string' && !keys.has(material)) return { kind: 'frame', id: material };
    if (actor === route && !frames.some((frame) => isWithin(frame, id)))
      return { kind: 'frame', id: `${route} at event ${id}` };
  }
  return undefined;
}

/** Events of the Task itself are numbered without gaps. */
function gapIn(events: readonly Event[]): MissingDependency | undefined {
  let sequence = 0;
  for (const event of events) {
    if (event.resource.object !== 'task') continue;
    sequence += 1;
    if (event.sequence !== sequence)
      return { kind: 'event', id: `task/${event.resource.id} sequence ${sequence}` };
  }
  return undefined;
}

function isWithin({ after, events }: PlacedFrame, id: string): boolean {
  return id > after && eventNumberOf(id) <= eventNumberOf(after) + events;
}

function ownEvents(events: readonly Event[], at: number, frame: PlacedFrame): number {
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
