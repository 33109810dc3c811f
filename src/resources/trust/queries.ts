import type { Handlers } from '#core/command.ts';
import { listPage, paging, visibleWorkspaces } from '#core/list-page.ts';
import { loadWorkspace } from '#core/load.ts';
import type { Query, QueryTools } from '#core/query.ts';
import { trustKey } from '#store/keys.ts';
import { topicOfTenant, topicOfWorkspace } from './record-trust.ts';
import { type TrustRecordState, trustKeys } from './state.ts';

/** The records as they were hashed. What proves changes of Personas is listed with that of all Workspaces. */
const listTrustRecords: Query<'listTrustRecords'> = async ({ query }, tools) => {
  const lists = (await topics(query.workspace_id, tools)).map(trustKeys.trustRecords);
  const shape = (state: object) => recordOf(state as TrustRecordState, tools);
  return listPage(tools, { lists, ...paging(query), keyOf: trustKeys.trustRecord, shape });
};

async function topics(workspaceId: string | undefined, tools: QueryTools): Promise<string[]> {
  const { reader, caller } = tools;
  if (workspaceId !== undefined)
    return [topicOfWorkspace(loadWorkspace(reader, caller, workspaceId, 'workspace_id').resource.id)];
  const workspaces = await visibleWorkspaces(tools);
  return [...workspaces.map(topicOfWorkspace), topicOfTenant(caller.tenant)];
}

function recordOf({ topic, chain_index }: TrustRecordState, { log }: QueryTools): object {
  const bytes = log.record(trustKey(topic, chain_index));
  if (bytes === undefined) throw new Error(`Trust record ${chain_index} of ${topic} has no bytes.`);
  return JSON.parse(bytes.toString('utf8'));
}

export const handlers = {
  listTrustRecords,
} satisfies Partial<Handlers>;
