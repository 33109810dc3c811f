import type { JsonObject } from '#protocol/json.ts';
import type { ArtifactDraft, Move, Seen } from '#upstream.ts';
import { isObject } from '../../../mappings/a2a/events.ts';
import { bounded, boundedParts, cut } from './bounds.ts';
import { bindMoves, filled } from './interpret-message.ts';
import { text } from './progress.ts';

/** A description is a sentence or two; what is longer belongs into the parts. */
const MAX_DESCRIPTION_LENGTH = 2_000;

/** A TaskArtifactUpdateEvent: appends parts or replaces the artifact, exactly as it says. */
export function interpretArtifact(body: JsonObject, seen: Seen): Move[] {
  const binds = bindMoves(text(body['taskId']), text(body['contextId']), seen);
  const artifact = isObject(body['artifact']) ? body['artifact'] : undefined;
  const id = artifactId(artifact);
  if (artifact === undefined || id === undefined) {
    return [...binds, { type: 'note', note: 'unknown_message', details: { reason: 'artifact without id' } }];
  }
  const append = body['append'] === true;
  const isGap = append && seen.artifactParts(id) === undefined;
  const { metadata } = filled('metadata', body['metadata']);
  const chunk = artifactDraft(artifact, id, isObject(metadata) ? { event_metadata: metadata } : {});
  const draft = { ...chunk, append, lastChunk: body['lastChunk'] === true };
  return [
    ...binds,
    ...(isGap ? [{ type: 'note', note: 'missed_chunk', details: { artifact_id: id } } as const] : []),
    { type: 'artifact', artifact: draft },
  ];
}

/** What a snapshot has and the log has not. Source: notes/a2a.md 1.4, "reconcile by artifactId + part count". */
export function reconcileArtifact(artifact: JsonObject, isOver: boolean, seen: Seen): Move[] {
  const id = artifactId(artifact);
  if (id === undefined)
    return [{ type: 'note', note: 'unknown_message', details: { reason: 'artifact without id' } }];
  const draft = artifactDraft(artifact, id);
  const known = seen.artifactParts(id);
  if (known === draft.parts.length) return [];
  // Fewer parts than the log has: the agent replaced the artifact while nobody listened.
  const isLonger = known !== undefined && known < draft.parts.length;
  const parts = isLonger ? draft.parts.slice(known) : draft.parts;
  return [{ type: 'artifact', artifact: { ...draft, parts, append: isLonger, lastChunk: isOver } }];
}

function artifactId(artifact: JsonObject | undefined): string | undefined {
  const id = text(artifact?.['artifactId']);
  return id === undefined ? undefined : bounded(id);
}

function artifactDraft(
  artifact: JsonObject,
  upstreamId: string,
  beside: JsonObject = {},
): Omit<ArtifactDraft, 'append' | 'lastChunk'> {
  const name = text(artifact['name']);
  const description = text(artifact['description']);
  const a2a = {
    ...filled('metadata', artifact['metadata']),
    ...filled('extensions', artifact['extensions']),
    ...beside,
  };
  return {
    upstreamId,
    ...(name !== undefined && { name: bounded(name) }),
    ...(description !== undefined && { description: cut(description, MAX_DESCRIPTION_LENGTH) }),
    parts: boundedParts(artifact['parts']),
    ...(Object.keys(a2a).length > 0 && { metadata: { a2a } }),
  };
}
