import type { Caller } from '#auth/caller.ts';
import type { Event, EventLog, StreamScope } from '#eventlog/event-log.ts';
import {
  EventFrame,
  type EventSubscription,
  type FrameSink,
  type SubscriptionOptions,
  type Subscriptions,
} from '#eventlog/subscription.ts';
import type { StreamSink } from '#gateway.ts';
import { conceal, holdsScope, mayHoldHidden } from '#policy/access.ts';
import { EVENT_OF_STATUS, isTerminal, type TerminalStatus } from '#protocol/task-states.ts';
import type { StreamId } from '#resources/operations.ts';
import { type SessionFold, sessionKeys } from '#resources/session/state.ts';
import { type TaskState, taskKeys } from '#resources/task/state.ts';
import type { DecodedInput } from './decode-input.ts';
import { type EventFilters, scopeOfFilters } from './event-filter.ts';
import { load } from './load.ts';

export interface StreamRequest {
  id: StreamId;
  caller: Caller;
  input: DecodedInput;
  sink: StreamSink;
  maxBufferedBytes: number;
  after?: string;
  /** What the client calls `after`. Default `Last-Event-ID`. */
  cursorParam?: string;
  /** Called when the stream ended by itself. */
  ended(): void;
}

type Plan = Pick<SubscriptionOptions, 'scope' | 'filter' | 'isLast' | 'isOver' | 'after'>;

/** What each stream covers and when it ends; see src/surfaces/README.md, Streams. */
const PLANS: { readonly [Id in StreamId]: (log: EventLog, request: StreamRequest) => Plan } = {
  streamTaskEvents: planTask,
  streamSessionEvents: planSession,
  streamEvents: planAll,
};

const ENDING: ReadonlySet<string> = new Set(
  (['COMPLETED', 'FAILED', 'CANCELED'] satisfies TerminalStatus[]).map((status) => EVENT_OF_STATUS[status]),
);

/** Checks what may be followed and joins the live feed. Throws a ProtocolError before the first frame. */
export function openStream(
  log: EventLog,
  subscriptions: Subscriptions,
  request: StreamRequest,
): EventSubscription {
  const plan = PLANS[request.id](log, request);
  const shown = holdsScope(request.caller, 'internal:read') ? 'toInternal' : 'toOthers';
  const sink = new ReaderSink(request.sink, shown, request.ended);
  const after = request.after === undefined ? {} : { after: request.after };
  const { cursorParam, maxBufferedBytes } = request;
  const named = cursorParam === undefined ? {} : { cursorParam };
  return subscriptions.subscribe({ ...plan, ...after, ...named, sink, maxBufferedBytes });
}

function planTask(log: EventLog, { caller, input }: StreamRequest): Plan {
  const reader = { get: log.state.bind(log) };
  const id = load(reader, caller, 'task', input.path['task_id'] ?? '').resource.id;
  return {
    scope: { kind: 'task', id },
    isLast: endsTask,
    isOver: () => isTerminal(reader.get<TaskState>(taskKeys.task(id))?.resource.status ?? 'FAILED'),
  };
}

function planSession(log: EventLog, { caller, input }: StreamRequest): Plan {
  const reader = { get: log.state.bind(log) };
  const id = load(reader, caller, 'session', input.path['session_id'] ?? '').resource.id;
  return {
    scope: { kind: 'session', id },
    isLast: ({ event }) => event === 'session.closed',
    isOver: () => reader.get<SessionFold>(sessionKeys.session(id))?.resource.state === 'CLOSED',
  };
}

/** The receipt of the Task follows its terminal event, which names it; without receipts that event is the last one. */
function endsTask({ event, receipt_id, payload }: Event): boolean {
  if (ENDING.has(event)) return receipt_id === undefined;
  const { object } = (payload['subject'] ?? {}) as { object?: string };
  return event === 'receipt.issued' && (object === 'task' || object === 'replay_segment');
}

/** Live from now on: a stream of everything does not begin with the whole past. */
function planAll(log: EventLog, { caller, input }: StreamRequest): Plan {
  const reader = { get: log.state.bind(log) };
  const { scope, matches } = scopeOfFilters(input.query as EventFilters, reader, caller);
  return {
    scope: scope as StreamScope,
    filter: matches as (event: Event) => boolean,
    after: log.head.eventId,
  };
}

/** Delivers to one reader what it may see: the concealed form of frames that need it. */
class ReaderSink implements FrameSink {
  readonly #sink: StreamSink;
  readonly #shown: Shown;
  readonly #ended: () => void;

  constructor(sink: StreamSink, shown: Shown, ended: () => void) {
    this.#sink = sink;
    this.#shown = shown;
    this.#ended = ended;
  }

  write(frame: EventFrame, replayed: boolean): number {
    return this.#sink.write(frame.shown(this.#shown, MAKE[this.#shown]), replayed);
  }

  caughtUp(): void {
    this.#sink.caughtUp?.();
  }

  cork(): void {
    this.#sink.cork?.();
  }

  uncork(): void {
    this.#sink.uncork?.();
  }

  drained(): Promise<void> {
    return this.#sink.drained();
  }

  end(...ending: Parameters<FrameSink['end']>): void {
    this.#ended();
    this.#sink.end(...ending);
  }
}

/** What readers of one kind are shown. */
type Shown = 'toInternal' | 'toOthers';

const MAKE: { readonly [Kind in Shown]: (frame: EventFrame) => EventFrame } = {
  toInternal: (frame) => concealed(frame, true),
  toOthers: (frame) => concealed(frame, false),
};

function concealed(frame: EventFrame, seesInternal: boolean): EventFrame {
  if (!mayHoldHidden(frame.bytes)) return frame;
  const event = conceal(frame.event, seesInternal);
  return new EventFrame({ event, bytes: Buffer.from(JSON.stringify(event)) });
}
