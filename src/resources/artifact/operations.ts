import { z } from 'zod';
import { listOf } from '#protocol/envelope.ts';
import { eventFilters, inDigits, type OperationRow, page } from '#protocol/operation-row.ts';
import { artifact, registerArtifactRequest } from './schema.ts';

const piece = inDigits(z.int().min(0).optional());

export const artifactsOperations = {
  listArtifacts: {
    kind: 'query',
    method: 'GET',
    path: '/v1/artifacts',
    tag: 'Artifacts',
    summary: 'List Artifacts, newest first.',
    scope: 'artifacts:read',
    level: 'core',
    success: 200,
    query: page.extend(eventFilters),
    response: listOf(artifact),
  },
  registerArtifact: {
    kind: 'command',
    method: 'POST',
    path: '/v1/artifacts',
    tag: 'Artifacts',
    summary: 'Register an Artifact; its content may follow by upload.',
    scope: 'artifacts:write',
    level: 'extended',
    success: 201,
    body: registerArtifactRequest,
    response: artifact,
  },
  getArtifact: {
    kind: 'query',
    method: 'GET',
    path: '/v1/artifacts/{artifact_id}',
    tag: 'Artifacts',
    summary: 'Read the description of an Artifact.',
    scope: 'artifacts:read',
    level: 'core',
    success: 200,
    response: artifact,
  },
  downloadArtifactContent: {
    kind: 'query',
    method: 'GET',
    path: '/v1/artifacts/{artifact_id}/content',
    tag: 'Artifacts',
    summary: 'Download the bytes of an Artifact, or the parts its agent sent it in.',
    scope: 'artifacts:read',
    level: 'core',
    success: 200,
    query: z.object({
      form: z
        .enum(['content', 'parts'])
        .default('content')
        .describe(
          '`parts`: a JSON list of the parts as the agent sent them, in order; 404 for an Artifact that did not come in parts.',
        ),
      first_piece: piece.describe(
        'With `form=parts`: number of the first part, as `chunk_index` of an Event counts.',
      ),
      pieces: piece.describe('With `form=parts`: how many; all that there are without it.'),
    }),
    response: 'bytes',
  },
  uploadArtifactContent: {
    kind: 'command',
    method: 'PUT',
    path: '/v1/artifacts/{artifact_id}/content',
    tag: 'Artifacts',
    summary: 'Upload the bytes of a registered Artifact, once; checked against its sha256 when it has one.',
    scope: 'artifacts:write',
    level: 'vendor',
    success: 200,
    body: 'bytes',
    response: artifact,
  },
} as const satisfies Record<string, OperationRow>;
