import type { State } from '#eventlog/event-log.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { BranchState } from '#resources/branch/state.ts';
import type { MessageState } from '#resources/message/state.ts';
import type { PermissionRequestState } from '#resources/permission/state.ts';
import type { Change, PartOfSession, Resource } from '#resources/session/session-removal.ts';
import { type SessionFold, sessionKeys } from '#resources/session/state.ts';
import { tombstoneKey } from '#store/keys.ts';
import { type BranchTraces, erasedWord, type SessionTraces } from './actor-traces.ts';
import { blankMessage } from './steps.ts';
import { answerWithoutWords } from './words-left.ts';

/** What goes of a Session in which others work too, and what is left of its rows. */
export function partOf(traces: SessionTraces, erasureId: string): PartOfSession {
  return {
    of: (object, state) => whatBecomes(object, state, traces, erasureId),
    changes: new Map([
      [sessionKeys.session(traces.id), (state) => sessionLeft(state as SessionFold, traces, erasureId)],
    ]),
    forgetsKeys: traces.isMaker,
    recordKey: tombstoneKey(erasureId),
  };
}

function whatBecomes(
  object: string,
  state: Resource,
  traces: SessionTraces,
  erasureId: string,
): 'goes' | Change | undefined {
  const { id, task_id } = state.resource;
  const isOfRun = traces.tasks.has(task_id ?? '');
  switch (object) {
    case 'task':
      return traces.tasks.has(id) ? 'goes' : undefined;
    case 'receipt':
      return isOfRun ? 'goes' : undefined;
    case 'artifact':
      return traces.artifacts.has(id) ? 'goes' : undefined;
    case 'message':
      return traces.messages.has(id)
        ? (own: State) => blankMessage(own as MessageState, erasureId)
        : undefined;
    case 'permission_request':
      if (isOfRun) return 'goes';
      return traces.answered.has(id) ? answerLeft : undefined;
    case 'branch':
      return branchLeft(traces.branches.get(id));
    default:
      return undefined;
  }
}

function answerLeft(state: State): State {
  const { resource, internal } = state as PermissionRequestState;
  const { response } = resource;
  return { resource: { ...resource, response: response && answerWithoutWords(response) }, internal };
}

/** Of a Branch of which the actor said something, the words of others. */
function branchLeft(traced: BranchTraces | undefined): Change | undefined {
  if (traced === undefined || !traced.isHers) return undefined;
  return (state) => {
    const { resource, internal } = state as BranchState;
    return { resource: { ...resource, metadata: traced.metadata }, internal };
  };
}

/** What others wrote of a Session stays, and what configures it. */
function sessionLeft(
  { resource, internal }: SessionFold,
  traces: SessionTraces,
  erasureId: string,
): SessionFold {
  const { archive } = internal;
  const gone = erasedWord(erasureId);
  const isOfArchive = resource.summary !== null && resource.summary === archive?.summary;
  const kept = Object.entries(resource.metadata).filter(([name]) => !traces.metadata.has(name));
  const clients = resource.live_clients?.map((client) =>
    traces.clients.has(client.client_id) ? { ...client, metadata: {} } : client,
  );
  return {
    resource: {
      ...resource,
      summary: traces.summary || isOfArchive ? gone : resource.summary,
      metadata: Object.fromEntries(kept) as JsonObject,
      ...(clients && { live_clients: clients }),
    },
    internal: {
      ...internal,
      ...(archive && { archive: { ...archive, summary: archive.summary && gone } }),
    },
  };
}
