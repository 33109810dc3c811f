import type { Caller } from '../auth/caller.ts';
import { EventFrame } from '../eventlog/event-frame.ts';
import type { Event, EventLog, StreamScope } from '../eventlog/event-log.ts';
import type {
  EventSubscription,
  FrameSink,
  SubscriptionOptions,
  Subscriptions,
} from '../eventlog/subscription.ts';
import type { StreamSink } from '../gateway.ts';
import { holdsScope } from '../policy/scope.ts';
import { conceal, mayHoldHidden } from '../policy/visibility.ts';
import { stateKey } from '../projections/state-keys.ts';
import type { SessionFold, TaskState } from '../projections/states.ts';
import type { StreamId } from '../protocol/operations.ts';
import { EVENT_OF_STATUS, isTerminal, type TerminalStatus } from '../protocol/task-states.ts';
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
}

type Plan = Pick<SubscriptionOptions, 'scope' | 'filter' | 'isLast' | 'isOver' | 'after'>;

/** What each stream covers and when it ends (contract C25). */
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
  const sink = readerSink(request.sink, holdsScope(request.caller, 'internal:read'));
  const after = request.after === undefined ? {} : { after: request.after };
  return subscriptions.subscribe({ ...plan, ...after, sink, maxBufferedBytes: request.maxBufferedBytes });
}

function planTask(log: EventLog, { caller, input }: StreamRequest): Plan {
  const reader = { get: log.state.bind(log) };
  const id = load(reader, caller, 'task', input.path['task_id'] ?? '').resource.id;
  return {
    scope: { kind: 'task', id },
    isLast: ({ event }) => ENDING.has(event),
    isOver: () => isTerminal(reader.get<TaskState>(stateKey.task(id))?.resource.status ?? 'FAILED'),
  };
}

function planSession(log: EventLog, { caller, input }: StreamRequest): Plan {
  const reader = { get: log.state.bind(log) };
  const id = load(reader, caller, 'session', input.path['session_id'] ?? '').resource.id;
  return {
    scope: { kind: 'session', id },
    isLast: ({ event }) => event === 'session.closed',
    isOver: () => reader.get<SessionFold>(stateKey.session(id))?.resource.state === 'CLOSED',
  };
}

/** Live from now on: nobody who asks for everything wants the whole past first. */
function planAll(log: EventLog, { caller, input }: StreamRequest): Plan {
  const reader = { get: log.state.bind(log) };
  const { scope, matches } = scopeOfFilters(input.query as EventFilters, reader, caller);
  return {
    scope: scope as StreamScope,
    filter: matches as (event: Event) => boolean,
    after: log.head.eventId,
  };
}

const hidden = new WeakMap<EventFrame, EventFrame>();

/** Gives a reader without `internal:read` the concealed form of frames that need it; made once per frame. */
function readerSink(sink: StreamSink, seesInternal: boolean): FrameSink {
  return {
    write: (frame, replayed) => sink.write(seesInternal ? concealed(frame, true) : shared(frame), replayed),
    caughtUp: () => sink.caughtUp?.(),
    drained: () => sink.drained(),
    end: (reason, error) => sink.end(reason, error),
  };
}

function shared(frame: EventFrame): EventFrame {
  const known = hidden.get(frame);
  if (known) return known;
  const shown = concealed(frame, false);
  hidden.set(frame, shown);
  return shown;
}

function concealed(frame: EventFrame, seesInternal: boolean): EventFrame {
  if (!mayHoldHidden(frame.bytes)) return frame;
  const event = conceal(frame.event, seesInternal);
  return new EventFrame({ event, bytes: Buffer.from(JSON.stringify(event)) });
}
