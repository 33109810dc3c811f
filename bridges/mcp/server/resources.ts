import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { ServerDeps, ServerExchange } from '#protocol-server.ts';
import type { Artifact } from '#resources/artifact/schema.ts';
import type { QueryId } from '#resources/operations.ts';
import { artifactUri } from '../../../mappings/mcp/content.ts';
import { ask, askBytes } from '../../wire/gateway-calls.ts';

/** The resources of this server: what a URI names, and which operation reads it. */
const KINDS = {
  artifacts: {
    operation: 'downloadArtifactContent',
    param: 'artifact_id',
    about: 'The content of an Artifact.',
  },
  receipts: { operation: 'getReceipt', param: 'receipt_id', about: 'A receipt of a finished Task.' },
  tasks: { operation: 'getTask', param: 'task_id', about: 'A Task as it is now.' },
} as const satisfies Record<string, { operation: QueryId; param: string; about: string }>;

const JSON_TYPE = 'application/json';
const LISTED = '50';

export function resourceTemplates(): JsonObject[] {
  return Object.entries(KINDS).map(([kind, { about }]) => ({
    uriTemplate: `harn://${kind}/{id}`,
    name: kind,
    description: about,
  }));
}

/** One page of the Artifacts of the caller's own Workspace, newest first. */
export async function listResources(
  { gateway }: ServerDeps,
  exchange: ServerExchange,
  cursor: unknown,
): Promise<JsonObject> {
  const { defaultWorkspace } = exchange.caller();
  const from = cursor === undefined ? {} : { cursor: String(cursor) };
  const query = { workspace_id: defaultWorkspace, limit: LISTED, ...from };
  const { data, page } = await ask<{ data: Artifact[]; page: { next_cursor: string | null } }>(
    gateway,
    'listArtifacts',
    exchange.call({ query }),
  );
  const resources = data.map(({ id, mime_type }) => ({
    uri: artifactUri(id),
    name: id,
    mimeType: mime_type,
  }));
  return { resources, ...(page.next_cursor === null ? {} : { nextCursor: page.next_cursor }) };
}

/** Throws `resource_not_found` for what is hidden, absent or no URI of ours. */
export async function readResource(
  { gateway }: ServerDeps,
  exchange: ServerExchange,
  uri: string,
): Promise<JsonObject> {
  const match = /^harn:\/\/(artifacts|receipts|tasks)\/([A-Za-z0-9_.-]{1,128})$/.exec(uri);
  const [, kind = '', id = ''] = match ?? [];
  if (!(kind in KINDS)) {
    throw new ProtocolError('resource_not_found', 'No such resource.', {
      param: 'params.uri',
      details: { uri },
    });
  }
  const { operation, param } = KINDS[kind as keyof typeof KINDS];
  const call = exchange.call({ path: { [param]: id } });
  if (operation !== 'downloadArtifactContent') {
    const text = JSON.stringify(await ask<JsonObject>(gateway, operation, call));
    return { contents: [{ uri, mimeType: JSON_TYPE, text }] };
  }
  const { bytes, mimeType } = await askBytes(gateway, operation, call);
  const isText = /^(text\/|application\/(json|xml|javascript))/.test(mimeType);
  const content = isText ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') };
  return { contents: [{ uri, mimeType, ...content }] };
}
