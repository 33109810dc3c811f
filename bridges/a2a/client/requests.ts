import { A2A_CONTENT_TYPE, A2A_PROTOCOL_VERSION, A2A_VERSION_HEADER } from '@a2a-js/sdk';
import type { JsonObject } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { Frame, OutboundMessage } from '#protocol-client.ts';
import type { A2aErrorName } from '../../../mappings/a2a/errors.ts';
import { HARN_EXTENSION } from '../../../mappings/a2a/extension.ts';
import { encodePart, type PartDialect, ROLES_V1, ROLES_V03 } from '../../../mappings/a2a/message.ts';
import {
  type A2aProtocol,
  INTERFACES,
  legacyRoute,
  OPERATIONS,
  PUSH_MEMBERS,
} from '../../../mappings/a2a/operations.ts';
import { protoMessage03, taskName } from '../../../mappings/a2a/proto-03.ts';
import { Fault } from '../../wire/faults.ts';
import { Backoff, pause } from '../../wire/waits.ts';
import type { Target } from './card.ts';
import { FIXED_LIMITS } from './config.ts';
import type { TurnRun, WireRequest } from './connection.ts';
import { isForeignTask, Progress, referencesOf } from './progress.ts';
import { type A2aRecord, type AgentError, type Reading, toFrameBody } from './record.ts';

/**
 * Sends the message of a turn: streaming where the agent can, else so that it is answered at once. It is sent a second time only
 * where the first one provably did not reach who executes it.
 */
export async function* sendMessage(run: TurnRun): AsyncGenerator<Frame> {
  const { kind, taskId } = run.turn;
  const isStreamed = run.canStream && (kind === 'start' || run.ports.learned.mayStreamAnswer(taskId));
  const streamed = isStreamed ? yield* deliver(run, 'SendStreamingMessage') : undefined;
  if (streamed === 'delivered' || streamed === 'refused') return;
  if (run.target.pushes) run.hint = run.ports.hints?.open();
  const sent = yield* deliver(run, 'SendMessage');
  // Only now it is plain that streaming was refused, and not this message.
  if (sent === 'delivered' && streamed !== undefined && kind === 'start')
    run.ports.learned.refused(run.target, streamed.cannotStream);
}

/** `refused`: the agent did not want the message; that was noted, or ends the task. */
type Delivery = 'delivered' | 'refused' | { cannotStream: string };

async function* deliver(
  run: TurnRun,
  operation: 'SendMessage' | 'SendStreamingMessage',
): AsyncGenerator<Frame, Delivery> {
  const isStream = operation === 'SendStreamingMessage';
  let isFirst = true;
  try {
    for await (const { record, reading } of ask(run, { operation, ...messageOf(run) })) {
      const isRefused = isFirst && reading.kind === 'error';
      if (isRefused && isStream) {
        const cannotStream = await whyStreamless(run, reading);
        if (cannotStream !== undefined) return { cannotStream };
        if (run.turn.kind === 'continue' && reading.error.name === 'UnsupportedOperation')
          run.ports.learned.answerRefused(run.turn.taskId);
      }
      isFirst = false;
      if (isRefused && (yield* refused(run, { record, reading }))) return 'refused';
      yield run.take(record, reading);
      if (isRefused) return 'refused';
      if (run.progress.isSettled) return 'delivered';
    }
    // The agent has said all it had to say to the message.
    if (isStream) run.progress.takeAsAnswer();
  } catch (error) {
    if (isFirst && isStream && isStreamless(error)) return { cannotStream: error.message };
    if (isFirst && isHttpRefusal(error) && (yield* refused(run, { fault: error, operation })))
      return 'refused';
    if (isFirst && isCredentialRefused(error)) throw untaken(error);
    if (run.waitsOn(error)) return 'delivered';
    // A refused connection delivered nothing; a lost one may have, and the agent knows the task.
    const isRecoverable = error instanceof Fault && error.details['reason'] === 'lost';
    if (!isRecoverable || run.progress.taskId === undefined) throw error;
  }
  return 'delivered';
}

function isCredentialRefused(error: unknown): error is Fault {
  return error instanceof Fault && error.code === 'auth_required';
}

/** The message itself was refused, and not a question about the task. */
function untaken({ code, message, details }: Fault): Fault {
  return new Fault(code, message, { ...details, untaken: true });
}

function messageOf(run: TurnRun): { message: JsonObject; beside: Beside } {
  const { message, kind, sessionMetadata } = run.turn;
  if (message === undefined) throw new Fault('rejected', 'The turn has no message to send.');
  const taskId = kind === 'continue' ? run.progress.taskId : undefined;
  const { contextId } = run.progress;
  const referenceTaskIds = referencesOf(run.turn, message, contextId === undefined);
  const links = { taskId, contextId, referenceTaskIds };
  const { protocol, dialect } = run.target;
  const pushUrl = run.hint?.url;
  const beside = { ...sentBeside(message, sessionMetadata), ...(pushUrl !== undefined && { pushUrl }) };
  return { message: encodeMessage(message, links, protocol, dialect), beside };
}

const STREAMLESS_ERRORS: readonly (A2aErrorName | undefined)[] = ['UnsupportedOperation', 'MethodNotFound'];
const STREAMLESS_STATUSES: readonly unknown[] = [404, 405, 406, 415, 501];

/**
 * Why the message did not reach who executes it: streaming as such was refused. Undefined when that is not proved. An agent
 * whose executor has begun may answer UnsupportedOperation too, so that one counts only when the agent says it of every stream.
 * Source: A2A 1.0, 3.3.4.
 */
async function whyStreamless(run: TurnRun, { error }: Extract<Reading, { kind: 'error' }>) {
  const said = `${error.name}: ${error.message}`;
  if (error.name === 'MethodNotFound') return said;
  if (error.name !== 'UnsupportedOperation' || run.turn.kind !== 'start') return undefined;
  return (await refusesEveryStream(run)) ? said : undefined;
}

/** Asks for the stream of a task that cannot be: who streams at all says that there is none. Source: A2A 1.0, 3.1.6. */
async function refusesEveryStream(run: TurnRun): Promise<boolean> {
  try {
    const taskId = `no-task-${run.turn.message?.id ?? ''}`;
    for await (const { reading } of ask(run, { operation: 'SubscribeToTask', taskId }))
      return reading.kind === 'error' && reading.error.name === 'UnsupportedOperation';
  } catch (error) {
    if (run.signal.aborted) throw error;
    // Whatever keeps the agent from answering that, it does not prove anything.
  }
  return false;
}

function saysUnsupported({ name }: AgentError): boolean {
  return STREAMLESS_ERRORS.includes(name);
}

function isStreamless(error: unknown): error is Fault {
  return error instanceof Fault && STREAMLESS_STATUSES.includes(error.details['http_status']);
}

/** What ties a message to earlier work of the agent. */
interface MessageLinks {
  taskId: string | undefined;
  contextId: string | undefined;
  /** Tasks of the agent that the message refers to. */
  referenceTaskIds: readonly string[];
}

/**
 * The A2A Message of a Harn message. Its id is the one a client of A2A gave it, else ours. Only what is meant for A2A
 * (`metadata.a2a`) leaves: the rest is between the client and the gateway.
 */
function encodeMessage(
  message: OutboundMessage,
  links: MessageLinks,
  protocol: A2aProtocol,
  dialect: PartDialect,
): JsonObject {
  const kept = keptOf(message);
  const id = typeof kept['message_id'] === 'string' ? kept['message_id'] : message.id;
  return {
    ...(INTERFACES[protocol].version === '0.3' && { kind: 'message' }),
    messageId: id,
    ...(dialect === 'harn-serve' && { id }),
    role: roleWord(message.role, protocol),
    parts: message.parts.map((part) => encodePart(part, dialect, message.artifacts)),
    ...(links.contextId !== undefined && { contextId: links.contextId }),
    ...(links.taskId !== undefined && { taskId: links.taskId }),
    ...(isObject(kept['metadata']) && { metadata: kept['metadata'] }),
    ...(Array.isArray(kept['extensions']) && { extensions: kept['extensions'] }),
    ...(links.referenceTaskIds.length > 0 && { referenceTaskIds: [...links.referenceTaskIds] }),
  };
}

/**
 * What an A2A client sent beside the message, for the agent. A2A has no field for the system prompt of a Session, so every
 * request carries it in its metadata, under the URI of our extension.
 */
function sentBeside(message: OutboundMessage, sessionMetadata: JsonObject): Beside {
  const { request, requested_extensions: extensions } = keptOf(message);
  const { metadata: sent, accepted_output_modes: modes } = isObject(request) ? request : {};
  const { system_prompt } = sessionMetadata;
  const prompt = system_prompt == null ? undefined : { [HARN_EXTENSION]: { system_prompt } };
  const metadata = isObject(sent) ? { ...prompt, ...sent } : prompt;
  return {
    ...(metadata !== undefined && { metadata }),
    ...(Array.isArray(modes) && { acceptedOutputModes: modes.map(String) }),
    ...(Array.isArray(extensions) && { extensions: extensions.map(String) }),
  };
}

function keptOf({ metadata }: OutboundMessage): JsonObject {
  return isObject(metadata['a2a']) ? metadata['a2a'] : {};
}

function roleWord(role: OutboundMessage['role'], protocol: A2aProtocol): string {
  const found = (INTERFACES[protocol].version === '0.3' ? ROLES_V03 : ROLES_V1).encode(role);
  return found.known ? found.word : found.raw;
}

const NOT_CANCELED = 'The agent neither canceled the task nor named its state.';

/** Asks the agent to cancel. When it cannot any more, the task says why: it is over. Throws Fault. */
export async function* cancelTask(run: TurnRun): AsyncGenerator<Frame> {
  const { taskId } = run.progress;
  if (taskId === undefined) return;
  let isRefused = false;
  for await (const { record, reading } of ask(run, { operation: 'CancelTask', taskId })) {
    isRefused = reading.kind === 'error';
    yield run.take(record, reading);
  }
  if (!isRefused) return;
  for await (const { record, reading } of ask(run, { operation: 'GetTask', taskId })) {
    if (reading.kind === 'error') throw new Fault('upstream_unavailable', NOT_CANCELED);
    yield run.take(record, reading);
  }
}

type Answer = { record: A2aRecord; reading: Reading };

/** How a task stands whose agent refused a message to it. */
type Standing = { kind: 'over'; answer: Answer } | { kind: 'open' } | { kind: 'gone' };

/** A refused message: an A2A error, or an HTTP status that came without one. */
type Refusal = Answer | { fault: Fault; operation: A2aRecord['operation'] };

/**
 * A refused message says nothing about the task it was for: it may work on, as it does when an interrupt is refused, or
 * be done; peers use several codes for that. While it is open the refusal is only noted, once it is over its end counts.
 * False when the agent knows no such task: then the refusal counts.
 */
export async function* refused(run: TurnRun, refusal: Refusal): AsyncGenerator<Frame, boolean> {
  const { taskId } = run.progress;
  if (run.turn.kind !== 'continue' || taskId === undefined) return false;
  if (!mayHaveBegun(refusal)) run.progress.takeAsAnswer();
  // What an agent reports while it works goes to whoever listens, once.
  else if (run.canStream) {
    yield notedFrame(refusal);
    return true;
  }
  const standing = await standingOf(run, taskId);
  if (standing.kind === 'over') yield run.take(standing.answer.record, standing.answer.reading);
  if (standing.kind === 'open') yield notedFrame(refusal);
  return standing.kind !== 'gone';
}

/** Errors that agents also give when the message is with who executes it, and only its stream cannot be sent. */
const UNCERTAIN_ERRORS: readonly (A2aErrorName | undefined)[] = [
  'UnsupportedOperation',
  'InternalError',
  'InvalidAgentResponse',
  undefined,
];

function mayHaveBegun(refusal: Refusal): boolean {
  if ('fault' in refusal) return Number(refusal.fault.details['http_status']) >= 500;
  const { reading } = refusal;
  return reading.kind === 'error' && UNCERTAIN_ERRORS.includes(reading.error.name);
}

/** HTTP said no before any A2A could be spoken; a refused credential is the business of a human. */
function isHttpRefusal(error: unknown): error is Fault {
  return (
    error instanceof Fault && error.code !== 'auth_required' && error.details['http_status'] !== undefined
  );
}

async function standingOf(run: TurnRun, taskId: string): Promise<Standing> {
  try {
    for await (const answer of ask(run, { operation: 'GetTask', taskId })) return standingIn(run, answer);
  } catch (error) {
    // Following the task asks again, with patience.
    if (error instanceof Fault && error.isLost) return { kind: 'open' };
    if (!isHttpRefusal(error)) throw error;
  }
  return { kind: 'gone' };
}

function standingIn(run: TurnRun, answer: Answer): Standing {
  const { record, reading } = answer;
  const isTask = reading.kind === 'event' && reading.event === 'task';
  if (!isTask || isForeignTask(reading, record.operation, run.progress.taskId)) return { kind: 'gone' };
  const ahead = new Progress(run.turn);
  ahead.note(reading, record.operation);
  return ahead.isOver ? { kind: 'over', answer } : { kind: 'open' };
}

/** Marked, because interpretation sees the frame alone and must not end the task. */
function notedFrame(refusal: Refusal): Frame {
  if ('record' in refusal)
    return { kind: 'message', body: toFrameBody({ ...refusal.record, task_goes_on: true }) };
  const { code, message, details } = refusal.fault;
  return {
    kind: 'fault',
    code,
    message,
    details: { ...details, operation: refusal.operation, task_goes_on: true },
  };
}

/**
 * Stays with a task whose stream is over or was never there: subscribes again, and where that is impossible or ends,
 * polls. Snapshots are yielded as they come; interpretation reconciles them. Faults of the connection are retried with
 * back-off, a bounded number of times in a row.
 */
export async function* follow(run: TurnRun): AsyncGenerator<Frame> {
  const { reconnect, poll, unknownPolls, standingPolls } = FIXED_LIMITS;
  const watch = new Watch(run);
  const pollPause = new Backoff(poll.firstMs, poll.longestMs);
  const retryPause = new Backoff(reconnect.firstMs, reconnect.longestMs);
  for (let failures = 0, unknown = 0, standing = 0, stoodMs = 0; ; ) {
    watch.heardMore = false;
    try {
      yield* watch.once();
      failures = 0;
      retryPause.reset();
    } catch (error) {
      if (watch.heardMore) failures = 0;
      failures += 1;
      if (!(error instanceof Fault) || !error.isLost || failures > reconnect.attempts) throw error;
      await pause(retryPause.next(), run.ports.timers, run.signal);
      continue;
    }
    // Without a stream there is nothing to listen to while a human signs in.
    if (run.progress.isSettled || run.progress.awaitsAuth) return;
    unknown = run.progress.unknownState === undefined ? 0 : unknown + 1;
    if (unknown > unknownPolls) throw unknownState(run);
    const waitMs = pollPause.next();
    standing = run.progress.stands ? standing + 1 : 0;
    stoodMs = run.progress.stands ? stoodMs + waitMs : 0;
    const isEnough = run.progress.standsIdentified
      ? stoodMs > run.ports.wire.limits.idle_timeout_ms
      : standing > standingPolls;
    if (run.progress.stands && isEnough) run.progress.takeAsAnswer();
    await rest(run, waitMs);
  }
}

/** Waits before the next look: for as long as it should be, or for a word of the agent. */
async function rest({ hint, progress, ports: { timers }, signal }: TurnRun, ms: number): Promise<void> {
  if (hint === undefined) return await pause(ms, timers, signal);
  const isQuiet = hint.hasArrived && !progress.stands && progress.unknownState === undefined;
  await hint.pause(isQuiet ? FIXED_LIMITS.hintedPollMs : ms, FIXED_LIMITS.poll.firstMs, timers, signal);
}

function unknownState(run: TurnRun): Fault {
  const details = { reason: 'unknown_state', ...namedState(run) };
  return new Fault(
    'upstream_unavailable',
    'The agent stays in a state that the gateway does not know.',
    details,
  );
}

function namedState({ progress: { unknownState: state } }: TurnRun): JsonObject {
  return state === undefined ? {} : { a2a_state: state };
}

class Watch {
  /** Something came that no snapshot had: the connection works, whatever ended it. */
  heardMore = false;
  #canSubscribe: boolean;
  /** The agent let us subscribe, so that the end of the stream says something. */
  #isHeard = false;
  #lastSnapshot = '';
  readonly #run: TurnRun;
  readonly #taskId: string;

  constructor(run: TurnRun) {
    const { taskId } = run.progress;
    if (taskId === undefined) {
      throw new Fault('upstream_unavailable', 'The agent ended without a result.', { reason: 'no_result' });
    }
    this.#run = run;
    this.#taskId = taskId;
    this.#canSubscribe = run.canStream;
  }

  async *once(): AsyncGenerator<Frame> {
    if (this.#canSubscribe) yield* this.#listen();
    if (!this.#run.progress.isSettled) yield* this.#look();
  }

  /** A task that waits as before when the agent has nothing more to say, or says nothing for long, waits for another answer. */
  async *#listen(): AsyncGenerator<Frame> {
    try {
      yield* this.#subscribe();
      if (this.#isHeard) this.#run.progress.takeAsAnswer();
    } catch (error) {
      if (!this.#run.waitsOn(error)) throw error;
      this.#canSubscribe = false;
    }
  }

  /** Listens until the stream ends. A stream that ended in good order is not opened again: polling finds the rest. */
  async *#subscribe(): AsyncGenerator<Frame> {
    let isFirst = true;
    for await (const { record, reading } of ask(this.#run, {
      operation: 'SubscribeToTask',
      taskId: this.#taskId,
    })) {
      if (reading.kind === 'error') this.#refuseUnknownTask(reading.error);
      // Without a snapshot first nobody knows what was missed; polling misses nothing.
      if (isFirst && !isSnapshot(reading)) break;
      const frame = this.#take(record, reading);
      this.#isHeard = true;
      if (!isFirst) this.heardMore = true;
      isFirst = false;
      if (frame !== undefined) yield frame;
      if (this.#run.progress.isSettled) return;
    }
    this.#canSubscribe = false;
  }

  async *#look(): AsyncGenerator<Frame> {
    for await (const { record, reading } of ask(this.#run, { operation: 'GetTask', taskId: this.#taskId })) {
      if (reading.kind === 'error') throw this.#refusal(reading.error);
      const frame = this.#take(record, reading);
      if (frame !== undefined) yield frame;
      if (!isSnapshot(reading)) throw noAnswer();
    }
  }

  /** A snapshot that says nothing new is not worth a frame. */
  #take(record: A2aRecord, reading: Reading): Frame | undefined {
    const frame = this.#run.take(record, reading);
    if (!isSnapshot(reading)) return frame;
    const snapshot = JSON.stringify([reading.body, this.#run.progress.stands]);
    if (snapshot === this.#lastSnapshot) return undefined;
    this.#lastSnapshot = snapshot;
    return frame;
  }

  #refuseUnknownTask(error: AgentError): void {
    if (error.name === 'TaskNotFound') throw this.#refusal(error);
  }

  #refusal(error: AgentError): Fault {
    const details = { reason: 'task_not_followed', a2a_error: error.name ?? null, ...namedState(this.#run) };
    if (error.name === 'TaskNotFound') {
      return new Fault('upstream_unavailable', 'The agent no longer knows the task.', details);
    }
    const isLost = !saysUnsupported(error);
    return new Fault('upstream_unavailable', 'The agent does not say how the task goes on.', details, isLost);
  }
}

function isSnapshot(reading: Reading): reading is Extract<Reading, { kind: 'event' }> {
  return reading.kind === 'event' && reading.event === 'task';
}

function noAnswer(): Fault {
  return new Fault(
    'upstream_unavailable',
    'The agent did not answer for the task.',
    { reason: 'no_answer' },
    true,
  );
}

/** What to ask of an agent: a message to send, or a task to look at. */
type Ask =
  | { operation: 'SendMessage' | 'SendStreamingMessage'; message: JsonObject; beside?: Beside }
  | { operation: 'GetTask' | 'CancelTask' | 'SubscribeToTask'; taskId: string };

/** What a client of ours sent beside its message. */
interface Beside {
  metadata?: JsonObject;
  acceptedOutputModes?: string[];
  /** URIs of the extensions it asked for. */
  extensions?: string[];
  /** Where the agent may say that the task went on. */
  pushUrl?: string;
}

/** Asks and yields what comes back. Throws as `TurnRun.send` does. */
function ask(run: TurnRun, asked: Ask): ReturnType<TurnRun['send']> {
  return run.send(encodeAsk(asked, run.target, run.ports.wire.nextRequestId()));
}

/** The request of an ask on this interface. `requestId` is used where the binding has one. */
function encodeAsk(ask: Ask, target: Target, requestId: string): WireRequest {
  const { binding } = INTERFACES[target.protocol];
  if (binding === 'GRPC') return grpcRequest(ask, target);
  return binding === 'HTTP+JSON' ? restRequest(ask, target) : rpcRequest(ask, target, requestId);
}

function rpcRequest(ask: Ask, target: Target, requestId: string): WireRequest {
  const row = OPERATIONS[ask.operation];
  const isLegacy = INTERFACES[target.protocol].version === '0.3';
  const method = isLegacy ? row.legacyMethod : ask.operation;
  const params = 'message' in ask ? sendParams(ask, target) : { id: ask.taskId };
  return {
    operation: ask.operation,
    method: 'POST',
    url: target.url,
    headers: {
      ...headers(row.streams, 'application/json', 'application/json', !isLegacy),
      ...extensionsHeader(ask, isLegacy),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: requestId, method, params: { ...params, ...tenant(target) } }),
    requestId,
    streams: row.streams,
  };
}

function grpcRequest(ask: Ask, target: Target): WireRequest {
  const isLegacy = INTERFACES[target.protocol].version === '0.3';
  const task = (taskId: string): JsonObject => (isLegacy ? { name: taskName(taskId) } : { id: taskId });
  const params = 'message' in ask ? sendParams(ask, target) : task(ask.taskId);
  return {
    operation: ask.operation,
    method: 'POST',
    url: target.url,
    headers: {
      ...(!isLegacy && { [A2A_VERSION_HEADER.toLowerCase()]: A2A_PROTOCOL_VERSION }),
      ...extensionsHeader(ask, isLegacy),
    },
    message: { ...params, ...tenant(target) },
    streams: OPERATIONS[ask.operation].streams,
  };
}

function restRequest(ask: Ask, target: Target): WireRequest {
  const { streams, rest } = OPERATIONS[ask.operation];
  const isLegacy = INTERFACES[target.protocol].version === '0.3';
  const route = (isLegacy ? legacyRoute(ask.operation) : undefined) ?? rest;
  const path = 'taskId' in ask ? route.path.replace('{id}', encodeURIComponent(ask.taskId)) : route.path;
  const prefix = target.tenant === undefined ? '' : `/${encodeURIComponent(target.tenant)}`;
  const url = new URL(target.url);
  url.pathname = url.pathname.replace(/\/$/, '') + prefix + path;
  const body = 'message' in ask ? sendParams(ask, target) : {};
  const [type, accept] = isLegacy
    ? ['application/json', 'application/json']
    : [A2A_CONTENT_TYPE, `${A2A_CONTENT_TYPE}, application/json`];
  return {
    operation: ask.operation,
    method: route.method === 'GET' ? 'GET' : 'POST',
    url,
    headers: { ...headers(streams, type, accept, !isLegacy), ...extensionsHeader(ask, isLegacy) },
    ...(route.method === 'POST' && { body: JSON.stringify(body) }),
    streams,
  };
}

/** What is not streamed is answered at once, so that its task is known while it works. Blocking is the default of both versions. */
function sendParams(
  { message, operation, beside }: Extract<Ask, { message: JsonObject }>,
  { protocol }: Target,
): JsonObject {
  const isLegacy = INTERFACES[protocol].version === '0.3';
  const configuration: JsonObject = {
    ...(operation === 'SendMessage' && (isLegacy ? { blocking: false } : { returnImmediately: true })),
    ...(beside?.acceptedOutputModes !== undefined && { acceptedOutputModes: beside.acceptedOutputModes }),
    ...(beside?.pushUrl !== undefined && { [PUSH_MEMBERS[protocol]]: { url: beside.pushUrl } }),
  };
  return {
    message: INTERFACES[protocol].isProto03 ? protoMessage03(message) : message,
    ...(Object.keys(configuration).length > 0 && { configuration }),
    ...(beside?.metadata !== undefined && { metadata: beside.metadata }),
  };
}

function extensionsHeader(ask: Ask, isLegacy: boolean): Record<string, string> {
  const extensions = 'message' in ask ? (ask.beside?.extensions ?? []) : [];
  if (extensions.length === 0) return {};
  return { [isLegacy ? 'x-a2a-extensions' : 'a2a-extensions']: extensions.join(', ') };
}

function tenant(target: Target): JsonObject {
  return target.tenant === undefined ? {} : { tenant: target.tenant };
}

function headers(
  streams: boolean,
  contentType: string,
  accept: string,
  isCurrent: boolean,
): Record<string, string> {
  return {
    'content-type': contentType,
    accept: streams ? `text/event-stream, ${accept}` : accept,
    // Sizes are counted on what arrives, so nothing may arrive compressed.
    'accept-encoding': 'identity',
    ...(isCurrent && { [A2A_VERSION_HEADER.toLowerCase()]: A2A_PROTOCOL_VERSION }),
  };
}
