import type { JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { DraftPart } from '#protocol-client.ts';
import type { Part } from '#resources/message/schema.ts';
import { decodeBlocks } from './content-in.ts';

/** The bytes in a prompt, which become an Artifact before the prompt is submitted. */
export type PromptBytes = Extract<DraftPart, { type: 'bytes' }>;
export type PromptPart = Part | PromptBytes;

/** What a client sent, as parts of a Message. Spec: ACP v1, "Prompt Turn", content blocks. */
export function decodePrompt(blocks: readonly JsonValue[]): PromptPart[] {
  return decodeBlocks(blocks.filter(isObject));
}

/** The part that stands for bytes which are an Artifact now. */
export function artifactPart(artifactId: string, { mime_type }: PromptBytes): Part {
  const ref = { artifact_id: artifactId, visibility: 'public' as const };
  return mime_type.startsWith('image/')
    ? { type: 'image_ref', mime_type, ...ref }
    : { type: 'artifact_ref', ...ref };
}

/** A text as a part of a Message. */
export function textPart(text: string): Part {
  return { type: 'text', text, visibility: 'public' };
}
