import { z } from 'zod';
import { taskStatus } from '#resources/task/schema.ts';
import { BUNDLE_MODES } from './session-bundle-schema.ts';

/** What goes into a bundle: `sanitized` without secrets, `local` everything, `replay_only` without payloads either. */
const mode = z.enum(BUNDLE_MODES);

const id = z.string().min(1).max(128);

export const exportBundleRequest = z
  .object({
    session_id: id.optional(),
    task_id: id.optional(),
    mode: mode.default('sanitized'),
    include_attachments: z.boolean().default(false),
  })
  .refine(({ session_id, task_id }) => (session_id === undefined) !== (task_id === undefined), {
    error: 'name either session_id or task_id',
    path: ['session_id'],
  })
  .meta({ id: 'ExportBundleRequest' });

/** Why a bundle is refused: the step of the validation that failed, and where. */
export const bundleValidation = z
  .object({
    object: z.literal('bundle_validation'),
    valid: z.boolean(),
    bundle_id: z.string().nullable(),
    mode: mode.nullable(),
    step: z.string().nullable(),
    path: z.string().nullable(),
    reason: z.string().nullable(),
    /** Whether its manifest is signed by a key that this gateway knows itself, by one it brings, or not at all. */
    signed_by: z.enum(['known_key', 'brought_key']).nullable(),
  })
  .meta({ id: 'BundleValidation' });
export type BundleValidation = z.infer<typeof bundleValidation>;

/** A Session that was restored. */
export const bundleImport = z
  .object({
    object: z.literal('bundle_import'),
    bundle_id: z.string(),
    mode,
    session_id: z.string(),
    /** The Workspace it was restored into; made for it. */
    workspace_id: z.string(),
    /** False where the same bundle was imported before. */
    created: z.boolean(),
    events: z.int().min(0),
    tasks: z.array(z.object({ id: z.string(), status: taskStatus })),
  })
  .meta({ id: 'BundleImport' });
export type BundleImport = z.infer<typeof bundleImport>;
