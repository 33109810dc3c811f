import { listGiven, paging } from '#core/list-page.ts';
import { isMemberOf, loadWorkspace, notFound } from '#core/load.ts';
import { ok, type Query, type QueryTools } from '#core/query.ts';
import { CONNECTOR_EVENTS, type Connector, type ConnectorRow } from './schema.ts';

export const listConnectors: Query<'listConnectors'> = ({ query }, tools) => {
  const { workspace_id } = query;
  if (workspace_id) loadWorkspace(tools.reader, tools.caller, workspace_id, 'workspace_id');
  const rows = visible(tools).filter(({ workspace }) => !workspace_id || workspace === workspace_id);
  return listGiven(
    tools,
    rows.map((row) => resourceOf(row, tools)),
    paging(query),
  );
};

export const getConnector: Query<'getConnector'> = ({ path }, tools) => {
  const found = visible(tools).find(({ id }) => id === path.connector_id);
  if (!found) throw notFound('connector');
  return ok(resourceOf(found, tools), tools.caller);
};

function visible({ self, reader, caller }: QueryTools): ConnectorRow[] {
  return self.connectors.filter(({ workspace }) => isMemberOf(reader, caller, workspace));
}

function resourceOf(row: ConnectorRow, { self }: QueryTools): Connector {
  return {
    id: row.id,
    object: 'connector',
    created_at: self.startedAt,
    updated_at: self.startedAt,
    metadata: {},
    provider: row.provider,
    workspace_id: row.workspace,
    status: row.auth === undefined ? 'DISABLED' : 'ACTIVE',
    event_kinds: [...CONNECTOR_EVENTS],
    dedupe_policy: row.dedupe === undefined ? {} : { ...row.dedupe },
    ...wayIn(row),
    polling: row.polling === undefined ? {} : { ...row.polling },
    target_persona_id: row.target_persona ?? null,
    target_session_id: row.target_session ?? null,
  };
}

/** Where deliveries go and how they are signed; nothing for one that would have to be polled. */
function wayIn({ id, auth }: ConnectorRow): Pick<Connector, 'auth' | 'webhook'> {
  if (auth === undefined) return { auth: {}, webhook: {} };
  const { type, header, signed, tolerance_seconds } = auth;
  return {
    auth: { type, header, signed, tolerance_seconds },
    webhook: { method: 'POST', path: `/v1/connectors/${id}/deliveries` },
  };
}
