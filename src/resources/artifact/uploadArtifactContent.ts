import type { Command } from '#core/command.ts';
import { load } from '#core/load.ts';
import { newEvent, placeOfArtifact } from '#core/new-event.ts';
import { sha256Hex } from '#json/sha256.ts';
import { own } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { ArtifactState } from '#resources/read-states.ts';
import { contentScope } from '#resources/state-keys.ts';
import { contentUri } from './large-content.ts';
import { keepBytes } from './stored-bytes.ts';

/** Takes the bytes of a registered Artifact once; the same bytes again change nothing. */
export const uploadArtifactContent: Command<'uploadArtifactContent'> = {
  decide({ path, body }, tx, facts) {
    const state = load(tx, facts.caller, 'artifact', path.artifact_id);
    const sha256 = own(sha256Hex(body.bytes));
    if (state.internal.closed) return repeatedUpload(state, sha256);
    refuseOtherBytes(state, sha256);
    if (body.bytes.length > facts.limits.artifactBytes) throw tooLarge(facts.limits.artifactBytes);
    const { resource, internal } = state;
    const scope = contentScope(resource.workspace_id, internal.tenant);
    const pieces = keepBytes(tx, { scope, sha256 }, body.bytes);
    tx.append(
      newEvent('artifact.updated', { object: 'artifact', id: resource.id }, placeOfArtifact(resource), {
        artifact_id: resource.id,
        store: 'bytes',
        append: false,
        chunk_index: 0,
        last_chunk: true,
        parts: [],
        all_text: false,
        size: body.bytes.length,
        pieces,
        sha256,
      }),
    );
    return { body: load(tx, facts.caller, 'artifact', path.artifact_id).resource };
  },
};

function repeatedUpload({ resource }: ArtifactState, sha256: string) {
  const isElsewhere = resource.uri !== contentUri(resource.id);
  if (resource.sha256 === sha256 && !isElsewhere) return { body: resource };
  if (isElsewhere) {
    const message =
      'The content of this artifact lives at its uri. Register another artifact without a uri to upload.';
    throw new ProtocolError('conflict', message, { details: { uri: resource.uri } });
  }
  throw new ProtocolError(
    'conflict',
    'This artifact has its content already. Register another artifact for other bytes.',
  );
}

function refuseOtherBytes({ resource }: ArtifactState, sha256: string): void {
  if (resource.sha256 === null || resource.sha256 === sha256) return;
  const message =
    'The uploaded bytes do not have the sha256 the artifact was registered with. Upload the right bytes.';
  throw new ProtocolError('invalid_request', message, {
    param: 'sha256',
    details: { expected: resource.sha256, observed: sha256 },
  });
}

function tooLarge(limit: number): ProtocolError {
  return new ProtocolError('payload_too_large', `The content is larger than ${limit} bytes. Split it.`, {
    details: { limit_bytes: limit },
  });
}
