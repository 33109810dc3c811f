import { getOf, listOf } from '#core/collection.ts';
import { load, notFound } from '#core/load.ts';
import { nextTurn } from '#core/next-turn.ts';
import type { Query, QueryTools } from '#core/query.ts';
import type { Answer } from '#gateway.ts';
import { holdsScope } from '#policy/access.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { contentOf, isOpen, PARTS_MEDIA_TYPE } from './content.ts';
import { contentUri } from './large-content.ts';
import { partReader } from './parts.ts';
import { artifactKeys, type CleanArtifactState } from './state.ts';
import { storedPieces } from './stored-bytes.ts';
import { contentOfArtifact } from './stored-content.ts';

const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');
/** Stands for a part whose bytes are gone. */
const NULL = Buffer.from('null');

export const listArtifacts = listOf({
  keyOf: artifactKeys.artifact,
  ofWorkspace: artifactKeys.artifactsOfWorkspace,
  ofSession: artifactKeys.artifactsOfSession,
  ofTask: artifactKeys.artifactsOfTask,
});

export const getArtifact = getOf('artifact', 'artifact_id');

/** `internal` content needs `internal:read`, `receipt_only` content never leaves. */
export const downloadArtifactContent: Query<'downloadArtifactContent'> = ({ path, query }, tools) => {
  const state = load(tools.reader, tools.caller, 'artifact', path.artifact_id);
  const { visibility } = state.resource;
  const hidden =
    visibility === 'receipt_only' ||
    (visibility === 'internal' && !holdsScope(tools.caller, 'internal:read'));
  if (hidden)
    throw new ProtocolError(
      'permission_denied',
      'The content of this artifact is not public; only its description is.',
    );
  if (state.internal.store === 'none') throw noContent(state);
  if (query.form === 'parts') return partsOf(state, query, tools);
  return isOpen(state) ? assembled(state, tools) : streamed(state, tools);
};

function noContent({ resource }: CleanArtifactState): ProtocolError {
  if (resource.uri === contentUri(resource.id)) return notFound('content of this artifact');
  const message = 'The content of this artifact is not kept here. It lives at its uri; get it from there.';
  return new ProtocolError('resource_not_found', message, { details: { uri: resource.uri } });
}

function assembled(state: CleanArtifactState, { log }: QueryTools): Answer {
  const { mimeType, bytes } = contentOf(state, (key) => log.record(key));
  return content(state, mimeType, bytes.length, [bytes]);
}

/** Those that were replaced meanwhile can still be read by their numbers. */
function partsOf(
  state: CleanArtifactState,
  { first_piece, pieces: count }: { first_piece?: number | undefined; pieces?: number | undefined },
  { log }: QueryTools,
): Answer {
  const { store, pieces: end, first_piece: current } = state.internal;
  if (store !== 'parts') throw notFound('list of parts of this artifact');
  const first = first_piece ?? current;
  const numbers = Array.from(
    { length: Math.max(0, Math.min(count ?? end, end - first)) },
    (_, at) => first + at,
  );
  const partAt = partReader(state, (key) => log.record(key));
  const parts = numbers.map((number) => partAt(number) ?? NULL);
  const bytes = Buffer.concat([
    OPEN,
    ...parts.flatMap((part, at) => (at === 0 ? [part] : [COMMA, part])),
    CLOSE,
  ]);
  return content(state, PARTS_MEDIA_TYPE, bytes.length, [bytes]);
}

/** All of it is read before the first byte is sent: damage found later could only cut the connection. */
async function streamed(state: CleanArtifactState, { log }: QueryTools): Promise<Answer> {
  const stored = contentOfArtifact(state);
  const pieces = () => (stored === undefined ? [] : storedPieces(stored, (key) => log.record(key)));
  for (const _ of pieces()) await nextTurn();
  return content(state, state.resource.mime_type, state.internal.size, pieces());
}

function content(
  state: CleanArtifactState,
  mimeType: string,
  size: number,
  chunks: Iterable<Buffer>,
): Answer {
  const fileName = state.internal.name ?? state.resource.id;
  return { status: 200, body: { kind: 'bytes', mimeType, size, fileName, chunks: eachOf(chunks) } };
}

async function* eachOf(chunks: Iterable<Buffer>): AsyncIterable<Buffer> {
  yield* chunks;
}
