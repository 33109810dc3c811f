import { ARTIFACT, resource, SESSION, TASK_ID, whole } from '#resources/example-world.ts';
import type { Examples } from '#resources/room.ts';

export const artifact = resource('artifact', ARTIFACT, {
  kind: 'log',
  mime_type: 'text/plain',
  uri: null,
  visibility: 'public',
  sha256: null,
  ...whole,
  task_id: TASK_ID,
  receipt_id: null,
});

/** What the OpenAPI document shows, by the name of a schema, or of an operation and `request` or `response`. */
export const examples = {
  Artifact: artifact,
  RegisterArtifactRequest: {
    kind: 'log',
    mime_type: 'text/plain',
    visibility: 'public',
    session_id: SESSION,
  },
} satisfies Examples;
