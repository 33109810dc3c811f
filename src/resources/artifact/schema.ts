import { z } from 'zod';
import { envelope, givenId, metadata } from '#protocol/envelope.ts';
import { visibility } from '#resources/message/schema.ts';

const ARTIFACT_KINDS = [
  'file',
  'patch',
  'image',
  'log',
  'diff',
  'receipt',
  'snapshot',
  'dataset',
  'other',
] as const;

/** Bare hex in artifact resources, the `sha256:` prefix accepted on input; see README.md. */
const sha256 = z.string().regex(/^[a-fA-F0-9]{64}$/);

/** Source: Agents Protocol v1, "Message, part, and artifact". `uri` is the content route while we hold the bytes. */
export const artifact = envelope('artifact', {
  kind: z.enum(ARTIFACT_KINDS),
  mime_type: z.string(),
  uri: z.string().nullable().meta({ format: 'uri-reference' }),
  visibility,
  sha256: sha256.nullable(),
  workspace_id: z.string().nullable(),
  session_id: z.string().nullable(),
  task_id: z.string().nullable(),
  receipt_id: z.string().nullable(),
}).meta({ id: 'Artifact' });
export type Artifact = z.infer<typeof artifact>;

export const registerArtifactRequest = z
  .object({
    kind: z.enum(ARTIFACT_KINDS),
    mime_type: z
      .string()
      .regex(/^[\w.+-]+\/[\w.+-]+(\s*;.*)?$/, 'expected a media type such as text/plain')
      .max(255),
    uri: z.string().max(4096).nullable().optional(),
    visibility,
    sha256: z
      .string()
      .regex(/^(sha256:)?[a-fA-F0-9]{64}$/, 'expected 64 hex digits')
      .nullable()
      .optional(),
    workspace_id: givenId.nullable().optional(),
    session_id: givenId.nullable().optional(),
    task_id: givenId.nullable().optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: 'RegisterArtifactRequest' });
export type RegisterArtifactRequest = z.infer<typeof registerArtifactRequest>;
