import type { StateReader } from '#eventlog/event-log.ts';
import type { JsonObject } from '#protocol/json.ts';
import { isTerminal } from '#protocol/task-states.ts';
import type { OutboundMessage, PermissionAnswer, Turn } from '#protocol-client.ts';
import { artifactIn } from '#resources/artifact/artifact-in.ts';
import { contentOf as storedContentOf } from '#resources/artifact/content.ts';
import { INLINED_FROM } from '#resources/artifact/large-content.ts';
import type { Message, Part } from '#resources/message/schema.ts';
import { recall } from '#resources/permission/remembered-permission.ts';
import type {
  ArtifactState,
  MessageState,
  PermissionRequestState,
  SessionFold,
  TaskState,
  UpstreamRequestState,
} from '#resources/read-states.ts';
import { sessionBinding } from '#resources/session/session-binding.ts';
import { stateKey } from '#resources/state-keys.ts';
import type { TurnSpan } from '#resources/task/move-task.ts';
import { inputKey } from '#store/keys.ts';
import { judgeAction } from './judge-action.ts';
import { historyBefore } from './past-turns.ts';
import { bindingOf, metadataSaid, tasksBoundTo, tasksForked } from './related-tasks.ts';
import type { RunnerDeps } from './runner-deps.ts';

/** The next turn of a task, with the message it sends. */
export function turnOf(
  deps: RunnerDeps,
  task: TaskState,
  kind: Turn['kind'],
  messages: readonly string[],
  span: TurnSpan,
): Turn {
  const base = { kind, ...turnBase(deps, task, span) };
  if (kind === 'reattach') return base;
  const sources = {
    get: deps.log.state.bind(deps.log),
    record: deps.log.record.bind(deps.log),
    openInput: deps.openInput,
  };
  return { message: outboundMessage(sources, messages), ...base };
}

/** What every request to the upstream about this task says. */
export function turnBase(
  deps: RunnerDeps,
  { resource, internal }: TaskState,
  span: TurnSpan,
): Omit<Turn, 'kind'> {
  const reader = { get: deps.log.state.bind(deps.log) };
  const trace = internal.trace_id === null ? {} : { traceparent: `00-${internal.trace_id}-${span.id}-01` };
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
    sessionMetadata: reader.get<SessionFold>(stateKey.session(resource.session_id))?.resource.metadata ?? {},
    judge: (action) => judgeAction(deps, reader, { resource, internal }, action),
    recall: (subject) => recall(deps.tools, reader, { resource, internal }, subject),
    history: () => historyBefore(reader, { resource, internal }),
    answerTo: (upstreamId) => answerTo(reader, resource.id, upstreamId),
    isCanceled: () => isCanceled(reader, resource.id),
    ...trace,
  };
}

function answerTo(reader: StateReader, taskId: string, upstreamId: string): PermissionAnswer | undefined {
  const known = reader.get<UpstreamRequestState>(stateKey.upstreamRequest(taskId, upstreamId));
  const request = known && reader.get<PermissionRequestState>(stateKey.permissionRequest(known.request_id));
  const response = request?.resource.response;
  if (!response) return undefined;
  const { approved, option_id: optionId, answer, reason } = response;
  return { upstreamId, approved, optionId, reason, ...(answer === null ? {} : { answer }) };
}

function isCanceled(reader: StateReader, taskId: string): boolean {
  const task = reader.get<TaskState>(stateKey.task(taskId));
  return task === undefined || task.internal.cancel_requested || isTerminal(task.resource.status);
}

/** What building an outbound message reads: folds, records, and the key of sealed inputs. */
export interface OutboundSources extends StateReader {
  record(key: string): Buffer | undefined;
  openInput(sealed: Buffer): Buffer;
}

/**
 * The message of a turn as the caller sent it: the originals of redacted inputs, large parts back in place. The last id
 * is the message; the parts of the others, which were appended outside a task, precede its own.
 */
export function outboundMessage(sources: OutboundSources, ids: readonly string[]): OutboundMessage {
  const messages = ids.map((id) => original(sources, id));
  const main = messages.at(-1);
  if (!main) throw new Error('a turn needs a message to send');
  // The turns of an import may name what belongs to another Workspace here.
  const artifactOf = (artifactId: string) => artifactIn(sources, main.workspace_id, artifactId);
  const parts = messages
    .flatMap((message) => message.parts)
    .map((part) => restorePart(sources, part, artifactOf));
  return {
    id: main.id,
    role: main.role,
    parts,
    metadata: main.metadata,
    artifacts: referencedArtifacts(sources, parts, artifactOf),
  };
}

function original(sources: OutboundSources, id: string): Message {
  const stored = sources.get<MessageState>(stateKey.message(id));
  if (!stored) throw new Error(`message ${id} is not in the log`);
  const sealed = stored.internal.sealed ? sources.record(inputKey(id)) : undefined;
  if (!sealed) return stored.resource;
  const kept = JSON.parse(sources.openInput(sealed).toString()) as { parts: Part[]; metadata: JsonObject };
  return { ...stored.resource, parts: kept.parts, metadata: kept.metadata };
}

type ArtifactOf = (id: string) => ArtifactState | undefined;

function restorePart(sources: OutboundSources, part: Part, artifactOf: ArtifactOf): Part {
  const form = part.type === 'artifact_ref' ? part.metadata?.[INLINED_FROM] : undefined;
  if (part.type !== 'artifact_ref' || form === undefined) return part;
  const text = contentOf(sources, artifactOf(part.artifact_id))?.bytes.toString() ?? '';
  const { [INLINED_FROM]: _, ...metadata } = part.metadata ?? {};
  const rest = {
    visibility: part.visibility,
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
  if (form === 'text') return { type: 'text', text, ...rest };
  if (form === 'json') return { type: 'json', value: JSON.parse(text), ...rest };
  return JSON.parse(text) as Part;
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
  state: ArtifactState | undefined,
): { bytes: Buffer; mimeType: string; name?: string } | undefined {
  if (!state || state.internal.store === 'none') return undefined;
  const name = state.internal.name === null ? {} : { name: state.internal.name };
  const { bytes, mimeType } = storedContentOf(state, (key) => sources.record(key));
  return { bytes, mimeType, ...name };
}
