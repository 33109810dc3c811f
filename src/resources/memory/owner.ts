import type { Facts } from '#core/facts.ts';
import { load, loadWorkspace, notFound } from '#core/load.ts';
import type { StateReader } from '#eventlog/event-log.ts';
import type { CleanText } from '#protocol/clean.ts';
import type { CreateMemoryRequest } from './schema.ts';

export interface MemoryOwner {
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

export function ownerOf(
  { scope, owner_id }: CreateMemoryRequest,
  reader: StateReader,
  facts: Pick<Facts, 'caller'>,
): MemoryOwner {
  return OWNERS[scope](owner_id, reader, facts);
}
