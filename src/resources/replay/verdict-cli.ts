import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { EVENT_OF_STATUS, isTerminal } from '#protocol/task-states.ts';
import type { Task } from '#resources/task/schema.ts';
import type { ReplayVerdict } from './schema.ts';

export interface RecordedEvent {
  event: string;
  payload: JsonObject;
}

/** One event of a run as its replay made it: what the payload of `replay.event_replayed` says of it. */
export interface ReplayedEvent {
  event: string;
  /** Null where nobody may read it. */
  payload: JsonObject | null;
  equal: boolean;
}

type Diverged = Extract<ReplayVerdict, { status: 'diverged' }>;

/** Longest value that is shown; of others the verdict has the hash. */
const SHOWN_CHARS = 80;

const ENDS: ReadonlySet<string> = new Set(['task.completed', 'task.failed', 'task.canceled']);

/**
 * Where a replay first went another way, and how it ended instead. `recorded`: the event of the verdict, absent where the run
 * had ended; `status`: that of the source; `replayed`: what the replay made, in its order.
 */
export function divergenceInWords(
  verdict: Diverged,
  recorded: RecordedEvent | undefined,
  status: Task['status'],
  replayed: readonly ReplayedEvent[],
): string[] {
  const made = replayed.find(({ equal }) => !equal);
  const first = firstInWords(verdict, recorded, made);
  const before = isTerminal(status) ? EVENT_OF_STATUS[status] : undefined;
  const after = replayed.findLast(({ event }) => ENDS.has(event))?.event;
  const isSaid = recorded?.event === before && made?.event === after;
  if (before === undefined || before === after || isSaid) return [first];
  return [first, `At the end ${before} ${after === undefined ? 'did not come' : `became ${after}`}.`];
}

function firstInWords(
  { path, observed }: Diverged,
  recorded: RecordedEvent | undefined,
  made: ReplayedEvent | undefined,
): string {
  if (recorded === undefined)
    return `The run had ended there; the replay went on with ${made?.event ?? 'another event'}.`;
  if (made === undefined)
    return `${recorded.event} did not come out again${observed === null ? '' : ' as it was'}.`;
  if (recorded.event !== made.event) return `${recorded.event} became ${made.event}.`;
  const steps = path.split('/').slice(2);
  const member = steps.join('.');
  if (made.payload === null || steps[0] !== 'payload')
    return `${recorded.event} came out with another ${member}.`;
  const [was, is] = [shownAt(recorded.payload, steps), shownAt(made.payload, steps)];
  return `${recorded.event} came out with another ${member}: ${was} became ${is}.`;
}

/** A value at a JSON pointer below the payload, as far as it is short. */
function shownAt(payload: JsonObject, [, ...steps]: readonly string[]): string {
  let found: JsonValue | undefined = payload;
  for (const step of steps) found = memberOf(found, step.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (found === undefined) return 'nothing';
  const text = JSON.stringify(found);
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}...`;
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return value[Number(name)];
  return Object.hasOwn(value, name) ? value[name] : undefined;
}
