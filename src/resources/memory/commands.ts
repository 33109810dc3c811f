import type { Command, Decided, Handlers } from '#core/command.ts';
import { metadataOf } from '#core/decode-input.ts';
import { type Expiry, expiryOf } from '#core/expiry.ts';
import type { Facts } from '#core/facts.ts';
import { load, loadWorkspace, notFound } from '#core/load.ts';
import { newEvent, type Place } from '#core/new-event.ts';
import type { StateReader, Transaction } from '#eventlog/event-log.ts';
import { holdsScope } from '#policy/access.ts';
import { asCleanObject, type Clean, type CleanJson, type CleanText, isCleanObject } from '#protocol/clean.ts';
import { externalizeLargeParts } from '#resources/artifact/large-content.ts';
import { holdOn, refuseHeld } from '#resources/hold/held.ts';
import { artifactRefPart, type Part } from '#resources/message/schema.ts';
import { contentScope } from '#resources/states.ts';
import { forgetMemory, keepContent, loadMemory, placeOfMemory, withContent } from './content.ts';
import { getMemory, listMemories } from './queries.ts';
import type { CreateMemoryRequest, Memory, MemoryDescription } from './schema.ts';
import { type CleanMemoryState, memoryKeys } from './state.ts';

export const createMemory: Command<'createMemory'> = {
  decide({ body }, tx, facts) {
    const owner = ownerOf(body, tx, facts);
    const { task_id } = body.provenance;
    if (typeof task_id === 'string') load(tx, facts.caller, 'task', task_id, 'provenance.task_id');
    const { tenant } = facts.by;
    const place = placeOfMemory(owner.workspace_id, owner.session_id, tenant);
    const memory = describe(body, owner.workspace_id, tx, facts);
    const { content: said, artifact_id } = contentOf(body, memory.visibility, place, tx, facts);
    const content = keepContent(tx, contentScope(owner.workspace_id, tenant), said);
    const payload = { memory, tenant, session_id: owner.session_id, artifact_id, content };
    const pointer = { object: 'memory', id: memory.id };
    tx.append(newEvent('vendor.harn_gateway.memory_created', pointer, place, payload));
    return shown(load(tx, facts.caller, 'memory', memory.id), tx, facts);
  },

  /** A Memory that was deleted or has expired is gone here too. */
  again: (id, tx, facts) => shown(loadMemory(tx, facts.caller, id, tx.time), tx, facts),
};

function shown(memory: CleanMemoryState, tx: Transaction, { caller }: Facts): Decided {
  return { body: withContent(memory, (key) => tx.recorded(key), holdsScope(caller, 'internal:read')) };
}

function describe(
  body: Clean<CreateMemoryRequest>,
  workspace_id: CleanText | null,
  tx: Transaction,
  facts: Facts,
): Clean<MemoryDescription> {
  const metadata = metadataOf(body);
  const { confidence, embedding_ref, redaction_policy } = body;
  return {
    id: facts.newId('memory'),
    object: 'memory',
    created_at: tx.time,
    updated_at: tx.time,
    metadata,
    scope: body.scope,
    owner_id: body.owner_id,
    workspace_id,
    provenance: body.provenance,
    expires_at: expiryOf(metadata),
    visibility: body.visibility ?? 'public',
    ...(confidence === undefined ? {} : { confidence }),
    ...(embedding_ref === undefined ? {} : { embedding_ref }),
    ...(redaction_policy === undefined ? {} : { redaction_policy }),
  };
}

/** What is kept: without secrets, and as a reference to an Artifact when it is large. */
function contentOf(
  { content: clean }: Clean<CreateMemoryRequest>,
  visibility: Memory['visibility'],
  place: Place,
  tx: Transaction,
  facts: Facts,
): { content: CleanJson; artifact_id: CleanText | null } {
  const ref = artifactRefPart.safeParse(clean);
  if (ref.success) load(tx, facts.caller, 'artifact', ref.data.artifact_id, 'content.artifact_id');
  const drafted =
    typeof clean === 'string'
      ? { type: 'text' as const, text: clean, visibility }
      : { type: 'json' as const, value: clean, visibility };
  const [part] = externalizeLargeParts(tx, facts, place, { sent: [drafted], clean: [drafted] }).clean;
  if (part?.type !== 'artifact_ref') return { content: asMember(clean), artifact_id: null };
  return { content: asCleanObject<Part>(part), artifact_id: part.artifact_id };
}

/** The shape of a Memory's content is text or an object. */
function asMember(content: CleanJson): CleanJson {
  return typeof content === 'string' || isCleanObject(content) ? content : { value: content };
}

interface MemoryOwner {
  workspace_id: CleanText | null;
  session_id: CleanText | null;
}

const OF_TENANT: MemoryOwner = { workspace_id: null, session_id: null };

type Find = (id: string, reader: StateReader, facts: Pick<Facts, 'caller'>) => MemoryOwner;

/** What each scope's `owner_id` names; it has to be visible to the caller. */
const OWNERS: Record<CreateMemoryRequest['scope'], Find> = {
  session(id, reader, { caller }) {
    const session = load(reader, caller, 'session', id, 'owner_id').resource;
    return { workspace_id: session.workspace_id, session_id: session.id };
  },
  workspace(id, reader, { caller }) {
    return {
      workspace_id: loadWorkspace(reader, caller, id, 'owner_id').resource.id,
      session_id: null,
    };
  },
  tenant(id, _reader, { caller }) {
    if (id !== caller.tenant) throw notFound('tenant', 'owner_id');
    return OF_TENANT;
  },
  persona(id, reader, { caller }) {
    load(reader, caller, 'persona', id, 'owner_id');
    return OF_TENANT;
  },
};

function ownerOf(
  { scope, owner_id }: CreateMemoryRequest,
  reader: StateReader,
  facts: Pick<Facts, 'caller'>,
): MemoryOwner {
  return OWNERS[scope](owner_id, reader, facts);
}

const deleteMemory: Command<'deleteMemory'> = {
  decide({ path }, tx, facts) {
    const memory = loadMemory(tx, facts.caller, path.memory_id, tx.time);
    const { session_id } = memory.internal;
    if (session_id !== null) refuseHeld(tx, session_id, tx.time);
    forgetMemory(tx, memory, 'deleted');
    return { body: {} };
  },
};

/** Readers miss them already. Those of a session that a hold keeps wait for its end. */
export const expiry: Expiry = {
  prefix: memoryKeys.expiringMemories,
  atOnce: 200,
  end(tx, _tools, id) {
    const memory = tx.get<CleanMemoryState>(memoryKeys.memory(id));
    const sessionId = memory?.internal.session_id ?? null;
    if (memory === undefined || (sessionId !== null && holdOn(tx, sessionId, tx.time) !== undefined)) return;
    forgetMemory(tx, memory, 'expired');
  },
};

export const handlers = {
  createMemory,
  deleteMemory,
  getMemory,
  listMemories,
} satisfies Partial<Handlers>;
