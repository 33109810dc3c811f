import type { StreamEnd, StreamFrame, StreamSink, Subscription } from '#gateway.ts';
import type { JsonObject } from '#protocol/json.ts';
import { objectOf, textOf } from '#protocol/json-shape.ts';
import { EVENT_OF_STATUS, type Failure, type TerminalStatus } from '#protocol/task-states.ts';
import type { ServerConnection, ServerDeps } from '#protocol-server.ts';
import type { SessionState } from '#resources/session/schema.ts';
import { type OutEvent, updatesOf } from '../../../mappings/acp/events-out.ts';
import type { RpcId } from '../../wire/json-rpc.ts';
import type { Peer } from '../../wire/peer.ts';
import type { GatewayCalls } from './calls.ts';
import { mayBeCut, type WholeEvents } from './contents.ts';
import type { Hosting } from './hosting.ts';
import { type LiveRole, liveChange } from './live-roles.ts';
import type { Follower, Questions } from './questions.ts';
import type { SessionView } from './session-view.ts';
import { type Prompts, TurnWaits } from './turns.ts';

/** `load`: the whole history is sent. `resume`: what came after the cursor, without the client's own words. */
export type Attachment = 'load' | 'resume';

interface AttachedParts {
  calls: GatewayCalls;
  connection: ServerConnection;
  peer: Peer;
  questions: Questions;
  hosting: Hosting;
  view: SessionView;
  prompts: Prompts;
  draft: Draft | undefined;
  roles: Map<string, LiveRole>;
  clientCapabilities: JsonObject;
  whole: WholeEvents;
  deps: Pick<ServerDeps, 'logger'>;
  /** Client whose own messages are not sent back to it. */
  clientId: string;
}

const STATUS_OF_EVENT: ReadonlyMap<string, TerminalStatus> = new Map(
  (['COMPLETED', 'FAILED', 'CANCELED'] as const).map((status) => [EVENT_OF_STATUS[status], status]),
);

/** The close code of a stream that the gateway ends: the client reconnects and resumes. */
const CLOSE_CODE: Readonly<Record<Exclude<StreamEnd, 'complete'>, number>> = {
  overflow: 1013,
  draining: 1001,
  unauthenticated: 4401,
  failed: 1011,
};

/** One Session that a client follows: events in the order of the log become updates, questions and ends of turns. */
export class AttachedSession implements StreamSink, Follower {
  readonly id: string;
  readonly turns: TurnWaits;
  /** Everything recorded before the attachment is sent. */
  readonly caughtUpOnce: Promise<void>;
  readonly #parts: AttachedParts;
  readonly #kind: Attachment;
  #delivered: string;
  #subscription: Subscription | undefined;
  /** Steps that wait for one another; undefined when none is under way. */
  #late: Promise<void> | undefined;
  /** Bytes of their events. */
  #lateBytes = 0;
  #isDetached = false;
  #isLive = false;
  #markCaughtUp: () => void = () => undefined;
  readonly #reaching: { id: string; resolve: () => void }[] = [];

  /** `turns`: prompts that already wait in this Session; they are answered by this attachment. */
  constructor(
    id: string,
    kind: Attachment,
    after: string | undefined,
    parts: AttachedParts,
    turns = new TurnWaits(),
  ) {
    this.id = id;
    this.turns = turns;
    this.#kind = kind;
    this.#parts = parts;
    this.#delivered = after ?? '';
    this.caughtUpOnce = new Promise((resolve) => {
      this.#markCaughtUp = resolve;
    });
  }

  /** Newest event that was sent. */
  get cursor(): string {
    return this.#delivered;
  }

  /** Throws RpcError for a hidden Session or a cursor that is gone. */
  async attach(after: string | undefined): Promise<void> {
    const subscription = await this.#parts.calls.follow(this.id, after, this);
    this.#subscription = subscription;
    if (this.#isDetached) subscription.close();
  }

  /** Nothing is sent any more: nobody waits any longer for what was recorded before. */
  detach(): void {
    this.#isDetached = true;
    this.#markCaughtUp();
    this.#subscription?.close();
    this.#parts.questions.forget(this.id);
  }

  /** Resolves when everything up to this event is sent. */
  reached(eventId: string | null): Promise<void> {
    if (eventId === null || this.#delivered >= eventId) return Promise.resolve();
    return new Promise((resolve) => this.#reaching.push({ id: eventId, resolve }));
  }

  write(frame: StreamFrame): number {
    if (this.#isDetached) return 0;
    const isCut = mayBeCut(frame);
    if (!isCut && this.#late === undefined) return this.#deliver(frame);
    this.#lateBytes += frame.bytes.length;
    this.#later(async () => {
      if (isCut) await this.#deliverWhole(frame);
      else this.#deliver(frame);
      this.#lateBytes -= frame.bytes.length;
    });
    return this.#lateBytes;
  }

  caughtUp(): void {
    if (this.#late !== undefined) {
      this.#later(() => this.#goLive());
      return;
    }
    this.#goLive();
  }

  cork(): void {
    this.#parts.connection.cork();
  }

  uncork(): void {
    this.#parts.connection.uncork();
  }

  async drained(): Promise<void> {
    await this.#late;
    await this.#parts.connection.drained();
  }

  end(reason: StreamEnd): void {
    this.#markCaughtUp();
    if (reason !== 'complete' && !this.#isDetached) this.#parts.connection.close(CLOSE_CODE[reason], reason);
  }

  get isAskedElsewhere(): boolean {
    return this.#parts.roles.get(this.id)?.isAskedElsewhere ?? false;
  }

  /** Whoever controls the Session now is asked what is still open, and nobody else. */
  roleChanged(): void {
    if (!this.#isLive) return;
    if (this.isAskedElsewhere) this.#parts.questions.forget(this.id);
    else void this.#parts.questions.askPending(this);
  }

  notify(given: JsonObject): void {
    const update = this.#parts.hosting.taken(given, true);
    if (update !== undefined) this.#parts.peer.notify('session/update', { sessionId: this.id, update });
  }

  #goLive(): void {
    this.#isLive = true;
    this.#markCaughtUp();
    void this.#parts.questions.askPending(this);
  }

  /** Something waits for content to be read; everything after it waits for its turn. */
  #later(step: () => Promise<void> | void): void {
    const late = (this.#late ?? Promise.resolve())
      .then(() => (this.#isDetached ? undefined : step()))
      .catch((error: unknown) => {
        this.#parts.deps.logger.error({ err: error, session_id: this.id }, 'an update was not delivered');
        this.end('failed');
      })
      .finally(() => {
        if (this.#late === late) this.#late = undefined;
      });
    this.#late = late;
  }

  #deliver(frame: StreamFrame): number {
    const { event } = frame;
    let unsent = 0;
    for (const text of this.#textsOf(frame, event)) unsent = this.#parts.connection.send(text);
    this.#wasSent(frame, event);
    return unsent;
  }

  async #deliverWhole(frame: StreamFrame): Promise<void> {
    const event = await this.#parts.whole.event(frame.event);
    for (const text of this.#textsOf(frame, event)) await this.#parts.connection.sendLarge(text);
    this.#wasSent(frame, event);
  }

  #wasSent(frame: StreamFrame, event: OutEvent): void {
    this.#follow(event);
    this.#delivered = frame.id;
    this.#resolveReached();
  }

  #textsOf(frame: StreamFrame, event: OutEvent): string[] {
    return this.#updatesOf(event).map((update) => this.#textOf(update, frame.id, event.task_id));
  }

  #updatesOf(event: OutEvent): JsonObject[] {
    if (event.event === 'user.message' && this.#isOwn(event)) return [];
    // Of what was erased a Message keeps its place and a Session its metadata; the rest says nothing.
    const { erased, message, changes } = event.payload;
    if (erased !== undefined && message === undefined && changes === undefined) return [];
    const { hosting } = this.#parts;
    const change = this.#isLive ? liveChange(this.#parts, this.id, event) : undefined;
    return [
      ...(change === undefined ? [] : [change]),
      ...updatesOf(event, hosting.terminals)
        .map((update) => hosting.taken(update, this.#isLive))
        .filter((update) => update !== undefined),
      ...this.#parts.view.updatesOf(this.id, event),
      ...(this.#parts.draft?.statesOf(this.id, event) ?? []),
    ];
  }

  /** A client shows what it sends; when it loads a Session it wants its own words too. */
  #isOwn({ payload }: OutEvent): boolean {
    if (this.#kind === 'load' && !this.#isLive) return false;
    const metadata = objectOf(objectOf(payload['message'])['metadata']);
    const key = textOf(objectOf(metadata['acp'])['prompt']);
    return key !== undefined && this.#parts.prompts.isOwn(key, this.#parts.clientId);
  }

  #textOf(update: JsonObject, eventId: string, taskId: string | null): string {
    const meta = objectOf(update['_meta']);
    const harn = { ...objectOf(meta['harn']), eventId, ...(taskId === null ? {} : { taskId }) };
    const named = { ...update, _meta: { ...meta, harn } };
    return JSON.stringify({
      jsonrpc: '2.0',
      method: 'session/update',
      params: { sessionId: this.id, update: named },
    });
  }

  #follow({ event, task_id, payload }: OutEvent): void {
    const requestId = textOf(payload['request_id']);
    if (requestId !== undefined && 'response' in payload) this.#parts.questions.withdraw(requestId);
    if (this.#isLive && 'permission_request' in payload)
      this.#parts.questions.ask(this, payload['permission_request']);
    if (event === 'vendor.harn_gateway.live_client_changed' && this.#parts.roles.has(this.id))
      this.roleChanged();
    const status = STATUS_OF_EVENT.get(event);
    if (status === undefined || task_id === null) return;
    const failure = (payload['failure'] as unknown as Failure | undefined) ?? null;
    this.turns.end(task_id, { kind: 'task', status, failure });
  }

  #resolveReached(): void {
    for (let at = this.#reaching.length - 1; at >= 0; at -= 1) {
      const waiting = this.#reaching[at];
      if (waiting === undefined || waiting.id > this.#delivered) continue;
      this.#reaching.splice(at, 1);
      waiting.resolve();
    }
  }
}

/** What a client of the draft version 2 gets besides; version 1 has no words for it. */
export interface Draft {
  /** The prompt of this request is a Message of the log now. */
  accepted(requestId: RpcId, messageId: string): void;
  /** Updates of the state that an event means. */
  statesOf(sessionId: string, event: OutEvent): JsonObject[];
  /** The update that gives the state after an attachment; `state`: as it was read before. */
  stateNow(sessionId: string, state: SessionState): JsonObject;
}
