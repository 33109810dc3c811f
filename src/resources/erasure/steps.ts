import { newEvent } from '#core/new-event.ts';
import type { Event, EventLog, ResourcePointer, Transaction } from '#eventlog/event-log.ts';
import { type Clean, fromLog } from '#protocol/clean.ts';
import type { JsonObject } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { EmittedKind, PayloadOf } from '#resources/event-payloads.ts';
import type { MessageState } from '#resources/message/state.ts';
import type { Erasing, PartOfSession } from '#resources/session/session-removal.ts';
import { erasedWord } from './actor-traces.ts';
import type { ErasedCounts } from './schema.ts';
import type { CleanErasureState } from './state.ts';

export type CleanErasure = CleanErasureState['resource'];

/** The events of a resource, newest first. */
export function eventsAbout(log: EventLog, resource: ResourcePointer): string[] {
  const ids: string[] = [];
  for (let id = log.newestEventOf(resource) ?? null; id !== null; ) {
    ids.push(id);
    id = log.event(id)?.event.previous_event_id ?? null;
  }
  return ids;
}

/** A Memory that is forgotten folds to nothing, whatever was said about it. */
export function withoutDescription({ event, payload, metadata }: Event) {
  if (event !== 'vendor.harn_gateway.memory_created') return undefined;
  const memory = { ...(payload['memory'] as JsonObject), provenance: {}, metadata: {} };
  return { payload: { ...payload, memory }, metadata };
}

/** So does a push config that is deleted. */
export function withoutReceiver({ event, payload, metadata }: Event) {
  if (event !== 'vendor.harn_gateway.push_config_set') return undefined;
  const push_config = { ...(payload['push_config'] as JsonObject), url: 'erased:', client_id: null };
  return { payload: { ...payload, push_config }, metadata };
}

/** What is left of what was said of an Artifact whose content is redacted. */
export function withoutContent({ event, payload, metadata }: Event) {
  if (event === 'artifact.created') {
    const artifact = { ...objectOf(payload['artifact']), uri: null, metadata: {} };
    return {
      payload: {
        ...payload,
        artifact,
        name: null,
        parts: [],
        ...(payload['metadata'] ? { metadata: {} } : {}),
      },
      metadata,
    };
  }
  if (event !== 'artifact.updated') return undefined;
  const { name, metadata: said, ...rest } = payload;
  return {
    payload: { ...rest, parts: [], ...(name === undefined ? {} : { name: null, metadata: {} }) },
    metadata,
  };
}

/** A removal of rows in the name of an erasure; `part` where only a part of a Session goes. */
export function erasing(erasure: CleanErasure, part?: PartOfSession): Erasing {
  return {
    erasureId: erasure.id,
    blank: (message) => blankMessage(message, erasure.id),
    ...(part && { part }),
    record: (tx, { ids, receipts }) => {
      const [tasks = [], messages = [], artifacts = []] = [ids['task'], ids['message'], ids['artifact']];
      const removed = {
        tasks: tasks.length,
        messages: messages.length,
        artifacts: artifacts.length,
        receipts: receipts.length,
      };
      const resources = [...artifacts, ...(ids['permission_request'] ?? [])];
      progress(tx, erasure, removed, {
        task_ids: fromLog([...tasks]),
        receipts: fromLog([...receipts]),
        ...(part && resources.length > 0 ? { of_actor: { resources: fromLog(resources) } } : {}),
      });
    },
  };
}

/** A Message in its place, without its words. */
export function blankMessage({ resource, internal }: MessageState, erasureId: string): MessageState {
  const part = { type: 'text', text: erasedWord(erasureId), visibility: 'public' } as const;
  return { resource: { ...resource, parts: [part], metadata: {} }, internal };
}

export type Progress = Clean<PayloadOf<'vendor.harn_gateway.erasure_progressed'>>;

export function progress(
  tx: Transaction,
  erasure: CleanErasure,
  removed: Partial<ErasedCounts>,
  named: Partial<Omit<Progress, 'removed'>> = {},
): void {
  const payload = { removed, task_ids: [], receipts: [], forks: [], ...named };
  append(tx, erasure, 'vendor.harn_gateway.erasure_progressed', payload);
}

export function append<Kind extends EmittedKind & `vendor.harn_gateway.erasure_${string}`>(
  tx: Transaction,
  { id, workspace_id }: CleanErasure,
  kind: Kind,
  payload: Clean<PayloadOf<Kind>>,
): void {
  tx.append(newEvent(kind, { object: 'erasure', id }, { workspace_id }, payload));
}
