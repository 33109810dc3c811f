import type { PathsWithMethod } from 'openapi-typescript-helpers';
import { envelopeOf, GatewayError, type GatewayErrorCode } from './errors.ts';
import { type Block, blocksOf } from './server-sent.ts';
import type { components } from './types-2026-04-25.ts';

/** One Event of a stream. `event` names its kind, which says what `payload` has: see /asyncapi.json. */
export type StreamedEvent = components['schemas']['Event'];

interface EventStream {
  get: { responses: { 200: { content: { 'text/event-stream': unknown } } } };
}

/** Paths that are followed: those that answer with server-sent events. */
export type StreamPath<Paths> = {
  [Path in keyof Paths]: Paths[Path] extends EventStream ? Path : never;
}[keyof Paths] &
  PathsWithMethod<Extract<Paths, object>, 'get'>;

/** How to follow a stream: its parameters, and when it is over. */
export type Follow<Paths, Path extends keyof Paths> = ParamsOf<Paths[Path]> & FollowOptions;

export interface FollowOptions {
  /** Id of the last Event that is known: what came after it comes first. Default: a Task or Session begins with its history. */
  lastEventId?: string;
  /** Whether this Event is the last one wanted. Default: the stream goes on as long as there is more to come. */
  until?: (event: StreamedEvent) => boolean;
  signal?: AbortSignal;
  /**
   * Pauses before each new try, in milliseconds; they begin anew with each Event, and after the last one the error of the
   * last try is thrown. Default: half a minute in all, which is longer than a restart takes.
   */
  resumeDelaysMs?: readonly number[];
}

type ParamsOf<Operations> = Operations extends { get: { parameters: infer Parameters } }
  ? Parameters extends { path: infer Path }
    ? { params: { path: Path } & QueryOf<Parameters> }
    : { params?: QueryOf<Parameters> }
  : never;
type QueryOf<Parameters> = Parameters extends { query?: infer Query } ? { query?: Query } : object;

const RESUME_DELAYS_MS = [250, 500, 1_000, 2_000, 4_000, 4_000, 4_000, 4_000, 5_000, 5_000];
/** Refusals that pass: the gateway starts, drains, or has too much to do. */
const PASSING: ReadonlySet<GatewayErrorCode | undefined> = new Set(['rate_limited', 'service_unavailable']);

const TASK_ENDINGS: ReadonlySet<string> = new Set(['task.completed', 'task.failed', 'task.canceled']);

/** Whether an Event is the last one of the stream of a resource. Without a row a stream goes on for ever. */
export const LAST: Readonly<Record<string, (event: StreamedEvent) => boolean>> = {
  // The receipt of a Task follows its terminal Event, which names it; without receipts that one is the last.
  '/v1/tasks/{task_id}/stream': ({ event, receipt_id, payload }) => {
    if (TASK_ENDINGS.has(event)) return receipt_id === undefined;
    const { object } = (payload['subject'] ?? {}) as { object?: string };
    return event === 'receipt.issued' && (object === 'task' || object === 'replay_segment');
  },
  '/v1/sessions/{session_id}/events/stream': ({ event }) => event === 'session.closed',
};

/** What is followed: a connection that goes on after an Event, and when there is nothing more to come. */
export interface Followed {
  connect(lastEventId: string | undefined): Promise<ReadableStream<Uint8Array>>;
  isLast(event: StreamedEvent): boolean;
  /** Whether the resource itself has come to its end. */
  isOver(): Promise<boolean>;
}

/** What the connections of one stream have come to. */
interface Progress {
  cursor: string | undefined;
  /** Connections since the last Event. */
  tries: number;
  /** What the gateway asks to wait before the next connection. */
  waitMs: number;
}

/**
 * The Events of a stream, each once and in order. A cut, a refused connection, and a gateway that drains or starts are waited
 * out, and the stream goes on after the last Event. Ends after the last Event of a Task or Session. Throws GatewayError for every
 * other refusal: after `cursor_expired`, read the resource and follow it from there.
 */
export async function* followEvents(
  { connect, isLast, isOver }: Followed,
  { lastEventId, until = isLast, signal, resumeDelaysMs = RESUME_DELAYS_MS }: FollowOptions,
  pause: (ms: number, signal: AbortSignal | undefined) => Promise<void>,
): AsyncGenerator<StreamedEvent, void> {
  const progress: Progress = { cursor: lastEventId, tries: 0, waitMs: 0 };
  for (;;) {
    let cut: unknown = new Error('The event stream ended before its last Event.');
    try {
      const isResumed = progress.cursor !== undefined;
      for await (const block of blocksOf(await connect(progress.cursor))) {
        const event = take(block, progress);
        if (event === undefined) continue;
        progress.tries = 0;
        yield event;
        if (until(event) || isLast(event)) return;
      }
      // A connection that was cut may look like one that was ended: the resource says which.
      if (isResumed && progress.tries > 0 && progress.waitMs === 0 && (await isOver())) return;
    } catch (error) {
      if (signal?.aborted === true || !isPassing(error)) throw error;
      cut = error;
    }
    const delayMs = resumeDelaysMs[progress.tries];
    if (delayMs === undefined) throw cut;
    progress.tries += 1;
    await pause(Math.max(delayMs, progress.waitMs), signal);
    progress.waitMs = 0;
  }
}

/** The Event of a block, if it has one. Throws GatewayError for the error with which a stream ends. */
function take({ id, event, data, retryMs }: Block, progress: Progress): StreamedEvent | undefined {
  if (retryMs !== undefined) progress.waitMs = retryMs;
  if (event === 'error') throw new GatewayError(200, envelopeOf(data ?? ''));
  if (id !== undefined) progress.cursor = id;
  return data === undefined ? undefined : (JSON.parse(data) as StreamedEvent);
}

/** fetch rejects with a TypeError where there is no answer, and where one breaks off. */
function isPassing(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof GatewayError && PASSING.has(error.code));
}
