import { ok } from '#core/answer.ts';
import { listGiven, paging, visibleWorkspaces } from '#core/list-page.ts';
import { notFound } from '#core/load.ts';
import type { Query, QueryTools } from '#core/query.ts';
import { CURRENT_VERSION } from '#protocol/version.ts';
import { listPrefix } from '#resources/state-keys.ts';
import { CAPABILITIES } from './capabilities.ts';
import { controlTools } from './control-tools.ts';

/** Counting stops here, so that the answer stays cheap. */
const MAX_COUNTED = 10_000;

export const getRuntime: Query<'getRuntime'> = async (_input, tools) => {
  const workspaces = await visibleWorkspaces(tools);
  const value = {
    object: 'runtime',
    version: tools.self.version,
    protocol_version: CURRENT_VERSION,
    adapter: 'harn-gateway',
    session_count: await count(tools, workspaces.map(listPrefix.sessions)),
    task_count: await count(tools, workspaces.map(listPrefix.tasksOfWorkspace)),
    capabilities: CAPABILITIES,
  };
  return ok(value, tools.caller);
};

async function count({ log }: QueryTools, lists: readonly string[]): Promise<number> {
  let counted = 0;
  for (const gt of lists) {
    counted += (await log.indexKeys({ gt, lt: `${gt}~`, limit: MAX_COUNTED - counted })).length;
    if (counted === MAX_COUNTED) break;
  }
  return counted;
}

export const listCapabilities: Query<'listCapabilities'> = (_input, { caller }) =>
  ok({ object: 'capability_summary', capabilities: CAPABILITIES }, caller);

export const listTools: Query<'listTools'> = ({ query }, tools) =>
  listGiven(tools, controlTools(), paging(query));

export const getTool: Query<'getTool'> = ({ path }, { caller }) => {
  const found = controlTools().find(({ id }) => id === path.tool_id);
  if (!found) throw notFound('tool');
  return ok(found, caller);
};
