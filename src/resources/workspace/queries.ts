import { listAmong, listPage, paging, visibleWorkspaces } from '#core/list-page.ts';
import { loadWorkspace } from '#core/load.ts';
import { ok, type Query } from '#core/query.ts';
import type { Answer } from '#gateway.ts';
import { sha256Hex } from '#json/canonical.ts';
import { decodeUtf8 } from '#json/strict-parse.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { FileContent } from '#store/file-tree.ts';
import { namesOfPath } from './file-path.ts';
import { workspaceKeys } from './state.ts';

export const listWorkspaces: Query<'listWorkspaces'> = async ({ query }, tools) => {
  const request = { ...paging(query), keyOf: workspaceKeys.workspace };
  if (tools.caller.workspaces.includes('*')) {
    return listPage(tools, { ...request, lists: [workspaceKeys.workspaces(tools.caller.tenant)] });
  }
  return listAmong(tools, await visibleWorkspaces(tools), request);
};

export const getWorkspace: Query<'getWorkspace'> = ({ path }, { reader, caller }) =>
  ok(loadWorkspace(reader, caller, path.workspace_id).resource, caller);

/** The path as it was understood comes back: `.` for the root, names joined by `/` otherwise. */
export const readWorkspaceFile: Query<'readWorkspaceFile'> = async ({ path, query }, tools) => {
  const { id, root } = loadWorkspace(tools.reader, tools.caller, path.workspace_id).resource;
  const names = namesOfPath(query.path ?? '.');
  const content = await tools.files.read({ id, root }, names);
  const place = { workspace_id: id, path: names.join('/') || '.' };
  const value = content.kind === 'file' ? file(place, content.bytes) : listing(place, content);
  return { status: 200, body: { kind: 'json', value } } satisfies Answer;
};

interface Place {
  workspace_id: string;
  path: string;
}

function file(place: Place, bytes: Buffer): object {
  const content = decodeUtf8(bytes);
  if (content === undefined) throw notText();
  return {
    object: 'file',
    ...place,
    encoding: 'utf-8',
    content,
    bytes: bytes.length,
    sha256: sha256Hex(bytes),
  };
}

function listing(
  place: Place,
  { entries, isTruncated }: Extract<FileContent, { kind: 'directory' }>,
): object {
  const below = place.path === '.' ? '' : `${place.path}/`;
  return {
    object: 'file_listing',
    ...place,
    entries: entries.map((entry) => ({
      name: entry.name,
      path: below + entry.name,
      kind: entry.kind,
      size: entry.size,
    })),
    truncated: isTruncated,
  };
}

function notText(): ProtocolError {
  const message = 'The file is not UTF-8 text. Files of other kinds are not served here; use an artifact.';
  return new ProtocolError('invalid_request', message, { param: 'path', details: { reason: 'not_utf8' } });
}
