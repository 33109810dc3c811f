import type { Event } from '#eventlog/event-log.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { PlacedFrame } from './recorded-frame.ts';

/** Everything a replay knows of a run: what the log recorded, and nothing of now. */
export interface History {
  taskId: string;
  sessionId: string;
  /** Route of the run, for example `a2a:sample`; it decides what the frames mean. */
  route: string;
  /** Events of the Task in log order, from its submission on. */
  events: readonly Event[];
  /** Frames by number, in the order they were taken. */
  frames: readonly PlacedFrame[];
}

/** What a replay cannot do without and did not find; the first one in the order of the run. */
export interface MissingDependency {
  kind: 'event' | 'frame' | 'artifact' | 'memory' | 'receipt' | 'host_fact' | 'override';
  /** Event id, override key, artifact id and the like. */
  id: string;
  /** It was taken out of the bundle that the run came in. */
  withheld?: true;
  /** It went with the words of somebody whose data was erased; `id` is then the erasure. */
  erased?: true;
}

/** A step of a run: something came from outside, and became these events. */
export type Stimulus =
  /** What an agent sent; interpreted again. */
  | { kind: 'frame'; frame: PlacedFrame; events: readonly Event[] }
  /** A transition that a caller or the gateway caused; made again. The last event is the transition. */
  | { kind: 'move'; event: Event; events: readonly Event[] }
  /** What a caller or the gateway said; taken as recorded. */
  | { kind: 'given'; event: Event; events: readonly Event[] };

/** Restored facts of the task's session at one step, which other tasks may have moved meanwhile. */
export interface SessionFacts {
  /** Turns of the transcript so far. */
  messages?: number;
  binding?: JsonObject | null;
}
