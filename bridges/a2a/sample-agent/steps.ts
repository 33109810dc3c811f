import type { JsonValue } from '../../../src/protocol/json.ts';

/** One piece of content, free of any A2A version's spelling. */
export type Content =
  | { readonly text: string }
  | { readonly bytes: Uint8Array; readonly mediaType: string; readonly filename: string }
  | { readonly data: JsonValue };

/** States a behaviour may announce; cancellation is the executor's alone. */
export type AnnouncedState =
  | 'submitted'
  | 'working'
  | 'input-required'
  | 'auth-required'
  | 'completed'
  | 'rejected'
  | 'failed';

export interface StatusStep {
  readonly do: 'status';
  readonly state: AnnouncedState;
  readonly text?: string;
}

/** A whole artifact (`append` false, `lastChunk` true) or one chunk of it. */
export interface ArtifactStep {
  readonly do: 'artifact';
  readonly artifactId: string;
  readonly name: string;
  readonly contents: readonly Content[];
  readonly append: boolean;
  readonly lastChunk: boolean;
}

/** The first thing seen of a task in a turn: its snapshot. */
export interface OpenStep {
  readonly do: 'open';
  readonly state: 'submitted' | 'working';
  readonly text?: string;
}

/** A direct answer that makes no task. Nothing may follow it. */
export interface MessageStep {
  readonly do: 'message';
  readonly text: string;
}

export interface PauseStep {
  readonly do: 'pause';
  readonly ms: number;
}

/** What a behaviour consists of: data, played in order by `RunningTurns`. */
export type Step = StatusStep | ArtifactStep | MessageStep | PauseStep;

/** What an executor must be able to put on its wire. */
export type PublishedStep = OpenStep | StatusStep | ArtifactStep | MessageStep;

/** What the agent knows when a message arrives. */
export interface Turn {
  /** All text parts of the message, joined and trimmed. */
  readonly text: string;
  /** The text after the command word, trimmed. */
  readonly rest: string;
  /** Set when the message continues a task that waited for it. */
  readonly awaited?: 'input' | 'auth';
}

export type Behaviour = (turn: Turn) => Iterable<Step>;

/**
 * Puts the snapshot that A2A wants first in front of a turn: the task is seen WORKING when the behaviour starts
 * by working, else SUBMITTED; a message-only answer has none.
 */
export function* opened(steps: Iterable<Step>): Generator<OpenStep | Step> {
  let first = true;
  for (const step of steps) {
    if (first && step.do === 'status' && step.state === 'working') {
      yield { ...step, do: 'open', state: 'working' };
    } else {
      if (first && step.do !== 'message') yield { do: 'open', state: 'submitted' };
      yield step;
    }
    first = false;
  }
}
