import { z } from 'zod';
import { envelope, jsonObject, jsonValue, metadata } from '#protocol/envelope.ts';

export const VISIBILITIES = ['public', 'internal', 'receipt_only'] as const;
export const visibility = z.enum(VISIBILITIES).meta({ id: 'PartVisibility' });

export const ROLES = ['user', 'assistant', 'system', 'tool', 'agent'] as const;
export type Role = (typeof ROLES)[number];

/** Part metadata is an addition of ours: optional, kept, ignored by clients that do not know it. */
const partMetadata = z.optional(jsonObject);

export const textPart = z
  .object({ type: z.literal('text'), text: z.string(), visibility, metadata: partMetadata })
  .meta({ id: 'TextPart' });
export const jsonPart = z
  .object({ type: z.literal('json'), value: jsonValue, visibility, metadata: partMetadata })
  .meta({ id: 'JsonPart' });
const toolCallPart = z
  .object({
    type: z.literal('tool_call'),
    tool_call_id: z.string(),
    name: z.string(),
    input: jsonObject,
    visibility,
    metadata: partMetadata,
  })
  .meta({ id: 'ToolCallPart' });
const toolResultPart = z
  .object({
    type: z.literal('tool_result'),
    tool_call_id: z.string(),
    output: jsonValue,
    status: z.enum(['ok', 'error']),
    visibility,
    metadata: partMetadata,
  })
  .meta({ id: 'ToolResultPart' });
export const artifactRefPart = z
  .object({ type: z.literal('artifact_ref'), artifact_id: z.string(), visibility, metadata: partMetadata })
  .meta({ id: 'ArtifactRefPart' });
const fileRefPart = z
  .object({
    type: z.literal('file_ref'),
    uri: z.string(),
    mime_type: z.string(),
    visibility,
    metadata: partMetadata,
  })
  .meta({ id: 'FileRefPart' });
const imageRefPart = z
  .object({
    type: z.literal('image_ref'),
    artifact_id: z.string(),
    mime_type: z.string(),
    visibility,
    metadata: partMetadata,
  })
  .meta({ id: 'ImageRefPart' });

const TYPE_OF_PART = 'must be text, json, tool_call, tool_result, artifact_ref, file_ref or image_ref';

/** One block of message content. Source: Agents Protocol v1, "Message, part, and artifact". */
export const part = z
  .discriminatedUnion(
    'type',
    [textPart, jsonPart, toolCallPart, toolResultPart, artifactRefPart, fileRefPart, imageRefPart],
    { error: ({ code }) => (code === 'invalid_union' ? TYPE_OF_PART : undefined) },
  )
  .meta({ id: 'Part' });
export type Part = z.infer<typeof part>;

/** Artifacts that parts refer to, in their order. */
export function artifactIdsOf(parts: readonly Part[]): string[] {
  return parts.flatMap((part) =>
    part.type === 'artifact_ref' || part.type === 'image_ref' ? [part.artifact_id] : [],
  );
}

export const messageInput = z
  .object({ role: z.enum(ROLES), parts: z.array(part).min(1).max(1000), metadata: metadata.optional() })
  .meta({ id: 'MessageInput' });
export type MessageInput = z.infer<typeof messageInput>;

export const message = envelope('message', {
  workspace_id: z.string(),
  session_id: z.string().nullable(),
  task_id: z.string().nullable(),
  role: z.enum(ROLES),
  parts: z.array(part),
}).meta({ id: 'Message' });
export type Message = z.infer<typeof message>;
