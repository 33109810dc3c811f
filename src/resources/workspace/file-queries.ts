import { loadWorkspace } from '#core/load.ts';
import type { Query } from '#core/query.ts';
import type { Answer } from '#gateway.ts';
import { decodeUtf8 } from '#json/decode-utf8.ts';
import { sha256Hex } from '#json/sha256.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { FileContent } from '#store/file-tree.ts';
import { namesOfPath } from './file-path.ts';

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
