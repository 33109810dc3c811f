import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { Failure, TaskStatus } from '#protocol/task-states.ts';
import type { Message } from '#resources/message/schema.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { Task } from '#resources/task/schema.ts';

/** What the fold reads of an Event. */
export interface Event {
  readonly id: string;
  readonly event: string;
  readonly created_at: string;
  readonly payload: JsonObject;
}

/** The newest state of a Task and what was said with it. */
export interface ViewStatus {
  status: TaskStatus;
  /** RFC 3339 time of the event that made it. */
  time: string;
  message?: Message;
  failure?: Failure;
  /** What the Task waits for. */
  request?: PermissionRequest;
}

/** A part of an artifact, where it is stored; a `described` one is read from there. */
export interface StoredPart {
  artifactId: string;
  piece: number;
  part: JsonObject;
}

export interface ViewArtifact {
  id: string;
  /** The agent's own id, by which A2A clients know it. */
  upstreamId: string;
  metadata: JsonObject;
  parts: StoredPart[];
}

/** What an A2A client gets when a Task changes. */
export type Update =
  | { type: 'status'; status: ViewStatus; metadata?: JsonObject }
  | { type: 'artifact'; artifact: ViewArtifact; append: boolean; lastChunk: boolean; metadata?: JsonObject }
  /** Nothing that A2A has a word for; only the Harn extension carries it. */
  | { type: 'event' };

type Payload = Record<string, JsonValue | undefined>;

/**
 * A Task as A2A sees it, folded from its events; the same for a snapshot, a stream and a resumed stream. What an agent said
 * together with a move is sent with that move, chunks keep their boundaries, and steps that the gateway inserted are not
 * sent. See mappings/README.md, Events.
 */
export class TaskView {
  task: Task | undefined;
  status: ViewStatus = { status: 'SUBMITTED', time: '' };
  history: Message[] = [];
  artifacts = new Map<string, ViewArtifact>();
  metadata: JsonObject = {};
  /** The answer is a Message and no Task. */
  isMessageOnly = false;
  /** The agent has a task of its own. */
  isBound = false;
  /** What it was made of is being removed. */
  isErased = false;
  readonly #requests = new Map<string, PermissionRequest>();
  #held: Message | undefined;

  /** Takes the next event of the Task and says what it means to a client. */
  advance(event: Event): Update[] {
    const row = FOLDS[event.event];
    // Of an erased event only its kind, place and time are left.
    if (isObject(event.payload['erased'])) this.isErased = true;
    if (row === undefined || this.isErased) return [{ type: 'event' }];
    return row(this, event.payload as Payload, event);
  }

  /** The view as it is now, whatever comes later. */
  copy(): TaskView {
    const copy = new TaskView();
    copy.task = this.task;
    copy.status = this.status;
    copy.history = [...this.history];
    copy.artifacts = new Map(this.artifacts);
    copy.metadata = this.metadata;
    copy.isMessageOnly = this.isMessageOnly;
    copy.isBound = this.isBound;
    copy.isErased = this.isErased;
    return copy;
  }

  /** Puts messages in the place of those that were moved out of the log for their size. */
  restore(whole: (message: Message) => Message): void {
    this.history = this.history.map(whole);
    const { message } = this.status;
    if (message !== undefined) this.status = { ...this.status, message: whole(message) };
  }

  begin(task: Task, time: string): Update[] {
    this.task = task;
    this.status = { status: task.status, time };
    this.metadata = carriedMetadata(task.metadata);
    return [];
  }

  hear(message: Message, moveFollows: boolean, time: string): Update[] {
    const earlier = this.#release(time);
    if (!moveFollows) return [...earlier, this.#say(message, time)];
    this.#held = message;
    return earlier;
  }

  move(payload: Payload, time: string): Update[] {
    const held = this.#held;
    const isSaid = held !== undefined && payload['message_id'] === held.id;
    const isInserted = payload['synthesized'] === true;
    const earlier = isSaid || isInserted ? [] : this.#release(time);
    if (isSaid) this.#held = undefined;
    const patch = isObject(payload['metadata']) ? payload['metadata'] : {};
    this.#merge(patch);
    this.isMessageOnly ||= isObject(patch['a2a']) && patch['a2a']['message_only'] === true;
    const request = this.#requests.get(String(payload['request_id'] ?? ''));
    const message = isSaid ? held : this.#saidBefore(payload['message_id']);
    this.#keepStatusMessage();
    this.status = {
      status: payload['status'] as TaskStatus,
      time,
      ...(message === undefined ? {} : { message }),
      ...(isObject(payload['failure']) ? { failure: payload['failure'] as unknown as Failure } : {}),
      ...(request === undefined ? {} : { request }),
    };
    if (isInserted) return earlier;
    const metadata = carriedMetadata(patch);
    const about = Object.keys(metadata).length > 0 ? { metadata } : {};
    return [...earlier, { type: 'status', status: this.status, ...about }];
  }

  ask(request: PermissionRequest): Update[] {
    this.#requests.set(request.id, request);
    return [];
  }

  settle(id: string): Update[] {
    this.#requests.delete(id);
    return [];
  }

  /** Metadata that came with nothing else. */
  remark(patch: JsonObject, time: string): Update[] {
    this.#merge(patch);
    const metadata = carriedMetadata(patch);
    const earlier = this.#release(time);
    if (Object.keys(metadata).length === 0) return [...earlier, { type: 'event' }];
    return [...earlier, { type: 'status', status: this.status, metadata }];
  }

  bind(payload: Payload): Update[] {
    this.isBound ||= isObject(payload['binding']);
    return [{ type: 'event' }];
  }

  /** A chunk; the event that merely closes an artifact says nothing that the agent said. */
  chunk(artifact: ViewArtifact, payload: Payload, isFirst: boolean): Update[] {
    const known = this.artifacts.get(artifact.id);
    const append = payload['append'] === true;
    const isClosing = payload['last_chunk'] === true && artifact.parts.length === 0 && !isFirst;
    if (isClosing) return [];
    const { event, own } = splitMetadata(artifact.metadata);
    const before = append && known !== undefined ? known.parts : [];
    this.artifacts.set(artifact.id, { ...artifact, metadata: own, parts: [...before, ...artifact.parts] });
    if (event !== undefined) this.metadata = { ...this.metadata, ...event };
    return [
      {
        type: 'artifact',
        artifact: { ...artifact, metadata: own },
        append,
        lastChunk: payload['called_last'] === true,
        ...(event === undefined ? {} : { metadata: event }),
      },
    ];
  }

  listen(message: Message): Update[] {
    this.#keepStatusMessage();
    this.history.push(message);
    return [];
  }

  #say(message: Message, time: string): Update {
    this.#keepStatusMessage();
    const { status, request } = this.status;
    this.status = { status, time, message, ...(request === undefined ? {} : { request }) };
    const a2a = message.metadata['a2a'];
    const metadata = isObject(a2a) && isObject(a2a['event_metadata']) ? a2a['event_metadata'] : undefined;
    if (metadata === undefined) return { type: 'status', status: this.status };
    this.metadata = { ...this.metadata, ...metadata };
    return { type: 'status', status: this.status, metadata };
  }

  /** What was held back for a move that did not come. */
  #release(time: string): Update[] {
    const held = this.#held;
    this.#held = undefined;
    return held === undefined ? [] : [this.#say(held, time)];
  }

  /** What an agent says again with a move is in the log once. */
  #saidBefore(id: JsonValue | undefined): Message | undefined {
    const known = [this.status.message, ...this.history].find((message) => message?.id === id);
    return known?.role === 'user' ? undefined : known;
  }

  /** The message of a state that is over belongs to the history. */
  #keepStatusMessage(): void {
    const { message, ...rest } = this.status;
    if (message === undefined) return;
    this.history.push(message);
    this.status = rest;
  }

  #merge(patch: JsonObject): void {
    this.metadata = { ...this.metadata, ...carriedMetadata(patch) };
  }
}

type Fold = (view: TaskView, payload: Payload, event: Event) => Update[];

const move: Fold = (view, payload, event) => view.move(payload, event.created_at);
const ask: Fold = (view, { permission_request }) =>
  view.ask(permission_request as unknown as PermissionRequest);
/** What the policy denies by itself was never asked. */
const settle: Fold = (view, { request_id }) =>
  typeof request_id === 'string' ? view.settle(request_id) : [{ type: 'event' }];

/** Events that A2A has a word for, or that change what it shows. */
const FOLDS: Readonly<Record<string, Fold>> = {
  'task.submitted': (view, { task }, event) => view.begin(task as unknown as Task, event.created_at),
  'user.message': (view, { message }) => view.listen(message as unknown as Message),
  'agent.message': (view, { message, move_follows }, event) =>
    view.hear(message as unknown as Message, move_follows === true, event.created_at),
  'session.message_appended': () => [],
  'task.started': move,
  'task.status_changed': move,
  'task.input_required': move,
  'task.auth_required': move,
  'task.completed': move,
  'task.failed': move,
  'task.canceled': move,
  'tool.approval_required': ask,
  'vendor.harn_gateway.permission_requested': ask,
  'tool.approved': settle,
  'tool.denied': settle,
  'vendor.harn_gateway.permission_resolved': settle,
  'artifact.created': createArtifact,
  'artifact.updated': updateArtifact,
  'vendor.harn_gateway.upstream_note': (view, { metadata }, event) =>
    isObject(metadata) ? view.remark(metadata, event.created_at) : [{ type: 'event' }],
  'vendor.harn_gateway.upstream_bound': (view, payload) => view.bind(payload),
};

/** Bytes of a message and large payloads are Artifacts too, but only an agent's own ones have an id of the agent. */
function createArtifact(view: TaskView, payload: Payload): Update[] {
  const { artifact, upstream_artifact_id: upstreamId } = payload;
  if (!isObject(artifact) || typeof upstreamId !== 'string') return [{ type: 'event' }];
  const id = String(artifact['id']);
  const metadata = isObject(artifact['metadata']) ? artifact['metadata'] : {};
  return view.chunk({ id, upstreamId, metadata, parts: partsOf(id, payload) }, payload, true);
}

function updateArtifact(view: TaskView, payload: Payload): Update[] {
  const known = view.artifacts.get(String(payload['artifact_id']));
  if (known === undefined) return [{ type: 'event' }];
  const { a2a, ...patch } = isObject(payload['metadata']) ? payload['metadata'] : {};
  // One that replaces another and names itself anew says all of it again.
  if (payload['name'] !== undefined) {
    const metadata = { ...patch, ...(isObject(a2a) ? { a2a } : {}) };
    return view.chunk({ ...known, metadata, parts: partsOf(known.id, payload) }, payload, false);
  }
  const kept = { ...(known.metadata['a2a'] as JsonObject | undefined), ...(isObject(a2a) ? a2a : {}) };
  const metadata = { ...known.metadata, ...patch, a2a: kept };
  return view.chunk({ ...known, metadata, parts: partsOf(known.id, payload) }, payload, false);
}

function partsOf(artifactId: string, payload: Payload): StoredPart[] {
  const parts = Array.isArray(payload['parts']) ? payload['parts'].filter(isObject) : [];
  const first = Number(payload['chunk_index']);
  return parts.map((part, at) => ({ artifactId, piece: first + at, part }));
}

/** Metadata that is meant for A2A; the rest of a Harn resource's is the gateway's own. */
function carriedMetadata(metadata: JsonObject): JsonObject {
  const a2a = metadata['a2a'];
  return isObject(a2a) && isObject(a2a['metadata']) ? a2a['metadata'] : {};
}

/** Metadata of the update that brought a chunk travels with the artifact's own. */
function splitMetadata(metadata: JsonObject): { own: JsonObject; event: JsonObject | undefined } {
  const a2a = metadata['a2a'];
  if (!isObject(a2a) || !isObject(a2a['event_metadata'])) return { own: metadata, event: undefined };
  const { event_metadata, ...own } = a2a;
  return { own: { ...metadata, a2a: own }, event: event_metadata as JsonObject };
}
