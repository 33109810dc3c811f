import type { EventLog, StateReader } from '#eventlog/event-log.ts';
import { contentHash } from '#json/canonical.ts';
import { decideAction } from '#policy/action.ts';
import type { Clean } from '#protocol/clean.ts';
import type { JsonObject } from '#protocol/json.ts';
import { timestamp } from '#protocol/ports.ts';
import { isTerminal } from '#protocol/task-states.ts';
import type { TraceContext } from '#protocol/trace-context.ts';
import type { InnerAction, OutboundMessage, PastTurn, PermissionAnswer, Turn } from '#protocol-client.ts';
import { artifactIn } from '#resources/artifact/artifact-in.ts';
import { contentOf as storedContentOf } from '#resources/artifact/content.ts';
import { INLINED_FROM } from '#resources/artifact/large-content.ts';
import type { CleanArtifactState } from '#resources/artifact/state.ts';
import { saidUnder } from '#resources/message/fold.ts';
import type { Message, Part } from '#resources/message/schema.ts';
import { type CleanMessageState, messageKeys } from '#resources/message/state.ts';
import { actionQuestion, permissionsOf } from '#resources/permission/action-question.ts';
import { remembers } from '#resources/permission/remembered-permission.ts';
import {
  type CleanPermissionRequestState,
  type CleanUpstreamRequestState,
  permissionKeys,
} from '#resources/permission/state.ts';
import { aboutOf } from '#resources/permission-rule/about.ts';
import { permissionFor } from '#resources/permission-rule/rules-in-force.ts';
import type { PermissionDecision } from '#resources/permission-rule/schema.ts';
import type { PolicyDecided } from '#resources/policy/events.ts';
import { sessionBinding } from '#resources/session/fold.ts';
import { type CleanSessionFold, sessionKeys } from '#resources/session/state.ts';
import { messageAt } from '#resources/session/transcript/archive-turns.ts';
import type { TurnSpan } from '#resources/task/move-task.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { inputKey, keysUnder, lastSegment } from '#store/keys.ts';
import type { RunnerDeps } from './runner-deps.ts';

/** The next turn of a task, with the message it sends. */
export async function turnOf(
  deps: RunnerDeps,
  task: CleanTaskState,
  kind: Turn['kind'],
  messages: readonly string[],
  span: TurnSpan,
): Promise<Turn> {
  const base = { kind, ...turnBase(deps, task, span) };
  if (kind === 'reattach') return base;
  const sources = {
    get: deps.log.state.bind(deps.log),
    record: deps.log.record.bind(deps.log),
    openInput: deps.openInput,
    parse: deps.parse,
  };
  return { message: await outboundMessage(sources, messages), ...base };
}

/** What every request to the agent about this task says. */
export function turnBase(
  deps: RunnerDeps,
  { resource, internal }: CleanTaskState,
  span: TurnSpan,
): Omit<Turn, 'kind'> {
  const reader = { get: deps.log.state.bind(deps.log) };
  const session = reader.get<CleanSessionFold>(sessionKeys.session(resource.session_id))?.resource;
  const policy = session?.model_policy;
  const { trace_id: traceId } = internal;
  // A caller that records nothing wants nobody behind it to; its exchanges are not followed either.
  const isFollowed = internal.unsampled === undefined;
  const trace =
    traceId === null ? {} : { traceparent: `00-${traceId}-${span.id}-${isFollowed ? '01' : '00'}` };
  const exchanges =
    traceId !== null && isFollowed && deps.traceExchange !== undefined
      ? tracedExchanges(deps.traceExchange, { traceId, spanId: span.id, isSampled: true })
      : {};
  return {
    taskId: resource.id,
    sessionId: resource.session_id,
    actor: resource.created_by,
    ...(internal.skill_id === undefined ? {} : { skillId: internal.skill_id }),
    binding: internal.binding ?? undefined,
    sessionBinding: sessionBinding(reader, resource.session_id, internal.route),
    bindingOf: (taskId) => bindingOf(reader, { resource, internal }, taskId),
    tasksBoundTo: (ids) => tasksBoundTo(deps.log, reader, { resource, internal }, ids),
    metadataSaid: () => metadataSaid(reader, { resource, internal }),
    tasksForked: () => tasksForked(reader, { resource, internal }),
    sessionMetadata: session?.metadata ?? {},
    ...(policy === undefined ? {} : { modelPolicy: policy }),
    judge: (action) => judgeAction(deps, reader, { resource, internal }, action),
    remembers: (subject) => remembers(deps.tools, reader, { resource, internal }, subject),
    history: () => historyBefore(reader, { resource, internal }),
    answerTo: (upstreamId) => answerTo(reader, resource.id, upstreamId),
    sessionInput: (name, origin) =>
      deps.tools.inputs.isEmpty ? undefined : deps.tools.inputs.value(resource.session_id, name, origin),
    sessionInputs: (names) => deps.tools.inputs.given(resource.session_id, names),
    isCanceled: () => isCanceled(reader, resource.id),
    ...trace,
    ...exchanges,
  };
}

function tracedExchanges(
  traceExchange: NonNullable<RunnerDeps['traceExchange']>,
  place: TraceContext,
): Pick<Turn, 'begins'> {
  return { begins: (name, attributes) => traceExchange(place, name, attributes) };
}

function answerTo(reader: StateReader, taskId: string, upstreamId: string): PermissionAnswer | undefined {
  const known = reader.get<CleanUpstreamRequestState>(permissionKeys.upstreamRequest(taskId, upstreamId));
  const request =
    known && reader.get<CleanPermissionRequestState>(permissionKeys.permissionRequest(known.request_id));
  const response = request?.resource.response;
  if (!response) return undefined;
  const { approved, option_id: optionId, answer, reason } = response;
  return { upstreamId, approved, optionId, reason, ...(answer === null ? {} : { answer }) };
}

function isCanceled(reader: StateReader, taskId: string): boolean {
  const task = reader.get<CleanTaskState>(taskKeys.task(taskId));
  return task === undefined || task.internal.cancel_requested || isTerminal(task.resource.status);
}

/** What building an outbound message reads: folds, records, and the key of sealed inputs. */
interface OutboundSources extends StateReader {
  record(key: string): Buffer | undefined;
  openInput(sealed: Buffer): Buffer;
  parse: RunnerDeps['parse'];
}

/**
 * The message of a turn as the caller sent it: the originals of redacted inputs, large parts back in place. The last id
 * is the message; the parts of the others, which were appended outside a task, precede its own.
 */
async function outboundMessage(sources: OutboundSources, ids: readonly string[]): Promise<OutboundMessage> {
  const messages = ids.map((id) => original(sources, id));
  const main = messages.at(-1);
  if (!main) throw new Error('a turn needs a message to send');
  // The turns of an import may name what belongs to another Workspace here.
  const artifactOf = (artifactId: string) => artifactIn(sources, main.workspace_id, artifactId);
  const parts: Part[] = [];
  for (const part of messages.flatMap((message) => message.parts))
    parts.push(part.type === 'artifact_ref' ? await restorePart(sources, part, artifactOf) : part);
  return {
    id: main.id,
    role: main.role,
    parts,
    metadata: main.metadata,
    artifacts: referencedArtifacts(sources, parts, artifactOf),
  };
}

function original(sources: OutboundSources, id: string): Message {
  const stored = sources.get<CleanMessageState>(messageKeys.message(id));
  if (!stored) throw new Error(`message ${id} is not in the log`);
  const sealed = stored.internal.sealed ? sources.record(inputKey(id)) : undefined;
  if (!sealed) return stored.resource;
  const kept = JSON.parse(sources.openInput(sealed).toString()) as { parts: Part[]; metadata: JsonObject };
  return { ...stored.resource, parts: kept.parts, metadata: kept.metadata };
}

type ArtifactOf = (id: string) => CleanArtifactState | undefined;

async function restorePart(
  sources: OutboundSources,
  part: Extract<Part, { type: 'artifact_ref' }>,
  artifactOf: ArtifactOf,
): Promise<Part> {
  const form = part.metadata?.[INLINED_FROM];
  if (form === undefined) return part;
  const text = contentOf(sources, artifactOf(part.artifact_id))?.bytes.toString() ?? '';
  const { [INLINED_FROM]: _, ...metadata } = part.metadata ?? {};
  const rest = {
    visibility: part.visibility,
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
  if (form === 'text') return { type: 'text', text, ...rest };
  const value = await sources.parse(text);
  if (form === 'json') return { type: 'json', value, ...rest };
  return value as Part;
}

function referencedArtifacts(
  sources: OutboundSources,
  parts: readonly Part[],
  artifactOf: ArtifactOf,
): OutboundMessage['artifacts'] {
  const found = new Map<string, { bytes: Buffer; mimeType: string; name?: string }>();
  for (const part of parts) {
    if (part.type !== 'artifact_ref' && part.type !== 'image_ref') continue;
    const state = artifactOf(part.artifact_id);
    // What is not public never leaves, whatever a Message calls it.
    const content = state?.resource.visibility === 'public' ? contentOf(sources, state) : undefined;
    if (content) found.set(part.artifact_id, content);
  }
  return found;
}

function contentOf(
  sources: OutboundSources,
  state: CleanArtifactState | undefined,
): { bytes: Buffer; mimeType: string; name?: string } | undefined {
  if (!state || state.internal.store === 'none') return undefined;
  const name = state.internal.name === null ? {} : { name: state.internal.name };
  const { bytes, mimeType } = storedContentOf(state, (key) => sources.record(key));
  return { bytes, mimeType, ...name };
}

/** Newest turns that are given to an agent that has lost its session; older ones are not. */
const MAX_TURNS = 200;

/**
 * The public text of the transcript before the task's next message, oldest first. Turns that were archived are given by their
 * summary, and by those with images or files that stayed.
 */
function historyBefore(reader: StateReader, { resource, internal }: CleanTaskState): PastTurn[] {
  const session = reader.get<CleanSessionFold>(sessionKeys.session(resource.session_id));
  if (session === undefined) return [];
  const messages = messagesOf(reader, session);
  const sent = new Set<string>([...internal.preceding, internal.turn_message]);
  const first = messages.findIndex(({ id }) => sent.has(id));
  const before = first < 0 ? messages : messages.slice(0, first);
  const turns = before.flatMap((message) => {
    const text = textOf(message);
    return text === '' ? [] : [{ role: message.role, text }];
  });
  const summary = session.internal.archive?.summary ?? null;
  return summary === null ? turns : [{ role: 'system', text: summary }, ...turns];
}

function messagesOf(reader: StateReader, session: CleanSessionFold): Clean<Message>[] {
  const { messages: count, archive } = session.internal;
  const kept = (archive?.kept ?? []).map(
    ({ message_id }) => reader.get<CleanMessageState>(messageKeys.message(message_id))?.resource,
  );
  const found: (Clean<Message> | undefined)[] = kept;
  const from = Math.max(archive?.turns ?? 0, count - MAX_TURNS);
  for (let position = from; position < count; position += 1) found.push(messageAt(reader, session, position));
  return found.filter((message) => message !== undefined);
}

function textOf({ parts }: Message): string {
  return parts
    .flatMap((part) => (part.type === 'text' && part.visibility === 'public' ? [part.text] : []))
    .join('\n');
}

/** Newest Tasks of a Workspace among which those of an agent are looked for. */
const MAX_SCANNED = 10_000;
/** Keys read at once; others get their turn in between. */
const READ_AT_ONCE = 200;
/** Newest turns of a Session that are looked through for what its agent said. */
const MAX_RELATED_TURNS = 200;
/** Tasks of its source that a fork names to its agent; the newest say what went before. */
const MAX_FORKED = 20;

/**
 * What another Task bound. A reference of a caller leads to no Task that it could not see, and so to no other caller's at the
 * same agent; what another gateway's Task bound was named by whoever imported it.
 */
function bindingOf(reader: StateReader, task: CleanTaskState, taskId: string): JsonObject | undefined {
  const other = reader.get<CleanTaskState>(taskKeys.task(taskId));
  return isRelated(task, other) ? (other.internal.binding ?? undefined) : undefined;
}

/** The newest Task for each id of the agent. A replay only repeats what its source bound. */
async function tasksBoundTo(
  log: Pick<EventLog, 'indexKeys'>,
  reader: StateReader,
  task: CleanTaskState,
  remoteIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = new Set(remoteIds);
  const found = new Map<string, string>();
  const { gte, lt } = keysUnder(taskKeys.tasksOfWorkspace(task.resource.workspace_id));
  let before = lt;
  for (
    let scanned = 0, size = READ_AT_ONCE;
    size === READ_AT_ONCE && scanned < MAX_SCANNED;
    scanned += size
  ) {
    const keys = await log.indexKeys({ gte, lt: before, reverse: true, limit: READ_AT_ONCE });
    for (const key of keys) {
      const other = reader.get<CleanTaskState>(taskKeys.task(lastSegment(key)));
      const remote = isRelated(task, other) && !other.internal.replay && other.internal.binding?.['task_id'];
      if (typeof remote === 'string' && wanted.delete(remote)) found.set(remote, lastSegment(key));
    }
    if (wanted.size === 0) break;
    size = keys.length;
    before = keys.at(-1) ?? gte;
  }
  return found;
}

function isRelated(
  { resource, internal }: CleanTaskState,
  other: CleanTaskState | undefined,
): other is CleanTaskState {
  if (other?.internal.route !== internal.route || other.internal.imported) return false;
  return other.resource.workspace_id === resource.workspace_id;
}

/** Metadata of what agents said in the Session. A message that only looks like an agent's does not count. */
function metadataSaid(reader: StateReader, { resource }: CleanTaskState): JsonObject[] {
  const session = reader.get<CleanSessionFold>(sessionKeys.session(resource.session_id));
  if (session === undefined || session.internal.imported) return [];
  return newestTurns(reader, session).flatMap((message) =>
    isOfAgent(reader, message) ? [message.metadata] : [],
  );
}

/** Tasks of the source of a fork, as far as their turns came along, newest first. */
function tasksForked(reader: StateReader, { resource }: CleanTaskState): string[] {
  const session = reader.get<CleanSessionFold>(sessionKeys.session(resource.session_id));
  if (!session?.resource.parent_session_id) return [];
  const tasks = newestTurns(reader, session).flatMap(({ session_id, task_id }) =>
    task_id !== null && session_id !== resource.session_id ? [task_id] : [],
  );
  return [...new Set(tasks)].slice(0, MAX_FORKED);
}

function newestTurns(reader: StateReader, session: CleanSessionFold): Message[] {
  const { messages: count } = session.internal;
  const turns = Array.from({ length: Math.min(count, MAX_RELATED_TURNS) }, (_, at) =>
    messageAt(reader, session, count - 1 - at),
  );
  return turns.filter((message) => message !== undefined);
}

function isOfAgent(reader: StateReader, { id, task_id, metadata }: Message): boolean {
  const { upstream_message_id: upstreamId } = metadata;
  if (task_id === null || typeof upstreamId !== 'string') return false;
  const task = reader.get<CleanTaskState>(taskKeys.task(task_id));
  return task !== undefined && saidUnder(reader, task, upstreamId) === id;
}

/**
 * Judges what an agent asks for in its turn, by what holds now; undefined when it may be done. What a rule denies is asked, and the rule
 * answers: so it is on record like every other answer.
 */
function judgeAction(
  deps: Pick<RunnerDeps, 'tools' | 'nowMs'>,
  reader: StateReader,
  { resource, internal }: CleanTaskState,
  inner: InnerAction,
): PolicyDecided | undefined {
  const { toolCallId, name, sideEffect, input } = inner;
  const { route } = internal;
  const action = { route, skillId: name, sideEffect };
  const question = actionQuestion(reader, deps.tools.self, resource, action);
  const decision = decideAction(question);
  const permission =
    decision.effect === 'allow' ? permissionInside(deps, reader, { resource, internal }, inner) : undefined;
  const { effect, rule, because } =
    permission?.outcome === 'denied' ? decideAction({ ...question, permission }) : decision;
  if (effect === 'allow') return undefined;
  return {
    effect: permission?.outcome === 'denied' ? 'ask' : effect,
    rule,
    because,
    tier: question.tier,
    side_effect: sideEffect,
    route,
    skill_id: name,
    tool_call_id: toolCallId,
    input_sha256: contentHash(deps.tools.redact(input).value),
  };
}

/** What rules make of an action inside a turn; undefined where the tenant has said nothing. */
function permissionInside(
  { tools, nowMs }: Pick<RunnerDeps, 'tools' | 'nowMs'>,
  reader: StateReader,
  { resource, internal }: CleanTaskState,
  { name, input }: InnerAction,
): Clean<PermissionDecision> | undefined {
  if (permissionsOf(reader, resource.workspace_id) === undefined) return undefined;
  const { binding, route } = internal;
  const thing = { kind: 'tool', action: name, toolName: name, input, metadata: {}, binding } as const;
  const now = { get: reader.get.bind(reader), time: timestamp(nowMs()) };
  return permissionFor(now, tools, resource, aboutOf(thing, tools.self.askedAbout(route, thing)));
}
