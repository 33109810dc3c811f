import type { DeadLetter } from './dead-letter-schema.ts';
import type { PushConfig } from './schema.ts';

/** Where the events of one Task are posted, and how far that has come. */
export interface PushTargetsState {
  task_id: string;
  session_id: string;
  workspace_id: string;
  targets: PushTarget[];
}

export interface PushTarget {
  resource: PushConfig;
  /** Newest event that is delivered or given up. */
  through_event_id: string;
  /** The Task is over and all of it is delivered. */
  is_done: boolean;
}

export interface DeadLetterState {
  resource: DeadLetter;
}
