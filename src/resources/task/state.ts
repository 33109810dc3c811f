import type { AutonomyTier } from '#protocol/autonomy.ts';
import type { Clean } from '#protocol/clean.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { UsageTotals } from '#protocol/usage.ts';
import type { SaidMessage } from '#resources/message/state.ts';
import type { BlockingEffect } from '#resources/policy/events.ts';
import type { QuotaReservation } from '#resources/quota/schema.ts';
import type { PersonaTerms } from '#resources/receipt/events.ts';
import type { ReplayTerms } from '#resources/replay/schema.ts';
import { blockKey, type Folded, idKey, idList } from '#resources/states.ts';
import type { CancelReport } from './events.ts';
import type { Task } from './schema.ts';

/** Keys of what is folded, and prefixes of its lists. */
export const taskKeys = {
  task: idKey<CleanTaskState>('r/task/'),
  runPage: blockKey('x/run/'),
  tasksOfWorkspace: idList('l/task/w/'),
  openTasks: 'l/task/open/',
} as const;

export type TaskState = Folded<
  Task,
  {
    /** Route the task runs on, for example `a2a:sample`. */
    route: string;
    /** The route that the task was submitted to, where its fallback does it. */
    moved_from?: string;
    /** Number of the rules by which its run becomes events; absent: 1. */
    rules?: number;
    /** The agent's own id of the Skill that the task named as its route. */
    skill_id?: string;
    /** What the upstream bound to this task (remote task id). */
    binding: JsonObject | null;
    cancel_requested: boolean;
    /** Set for one that was canceled without its agent confirming it. */
    cancel?: CancelReport;
    /** W3C trace id of the submission; goes on to the upstream and into later events. */
    trace_id: string | null;
    /** Set where the submission said that nobody is to record this trace (W3C flag `sampled`). */
    unsampled?: true;
    /** Message that the running or next turn sends. */
    turn_message: string;
    /** Messages that precede the first input. */
    preceding: string[];
    /** Lifecycle transitions so far; numbers the checkpoints. */
    transitions: number;
    /** Turns of agents so far; numbers the spans. */
    turns: number;
    open_artifacts: string[];
    /** Permission requests that wait for an answer, oldest first. */
    open_requests: string[];
    /** Time of its newest move, or of what the agent said since; absent while there is neither. */
    status_at?: string;
    /** What the agent said, newest last, at most as many as an Outcome shows. */
    said: SaidMessage[];
    /** Quotas that the task counts against. */
    quotas?: string[];
    /** What it set aside of those that have budgets. */
    reservations?: QuotaReservation[];
    /** Time in WORKING, kept where something is reserved; `since` is set while it works. */
    worked?: { ms: number; since: string | null };
    /** Set for a replay: what was asked, and of which Task. */
    replay?: ReplayTerms;
    /** How often the task was replayed. */
    replays?: number;
    /** Start of the newest agent text. Absent while there is none; once the Task has ended, where its summary is the same. */
    last_text?: string;
    /** Of its Outcome; absent until it has ended. */
    summary?: string;
    /** The terms of the persona the task was accepted under; absent where it names none. */
    persona?: PersonaTerms;
    /** The tier it was accepted under; absent where it is that of its persona, or the built-in one without a persona. */
    tier?: AutonomyTier;
    /** Set for one that another gateway ran. */
    imported?: true;
    /** Receipts besides the one that it names, oldest first; absent where there is none. */
    receipts?: string[];
    /** What its receipt will say; absent while there is nothing, and once the receipt is issued. */
    run?: RunFacts;
  }
>;

/** One thing that a receipt says of a run; resources are named, not copied. */
export type RunFact =
  | { kind: 'artifact'; id: string }
  | { kind: 'request'; id: string; actor: string | null }
  | { kind: 'tool_called'; call_id: string; tool: string; input_hash: string }
  | { kind: 'tool_ended'; call_id: string; status: 'succeeded' | 'failed'; output_hash?: string }
  | { kind: 'input_redacted'; message_id: string; proof_hash: string }
  | { kind: 'file_written'; path: string; sha256: string }
  | { kind: 'model_policy'; provider: string; model: string }
  | { kind: 'policy'; effect: BlockingEffect; rule: string; action: string; at: string };

/** The newest facts, oldest first; full pages of older ones are states of their own. */
export interface RunFacts {
  pages: number;
  newest: RunFact[];
  /** Absent where the agent said nothing. */
  usage?: UsageTotals;
}

/** A full page of the facts of a run. */
export interface RunPageState {
  facts: RunFact[];
}

/** As they are read: what was folded of clean events is clean. */
export type CleanTaskState = Clean<TaskState>;
