import type { StateWriter } from '#eventlog/event-log.ts';
import { contentScope } from '#resources/states.ts';
import { type ArtifactState, artifactKeys } from './state.ts';

/** Bytes that are stored under what they are, once per scope (`contentScope`). */
export interface StoredContent {
  scope: string;
  /** Bare hex. */
  sha256: string;
  /** Bytes, at least 1. */
  size: number;
}

/** Bytes that are stored once, and how many Artifacts and Memories refer to them; absent while none does. */
export interface ContentState {
  size: number;
  references: number;
}

/**
 * The stored bytes that an Artifact refers to. None while its agent adds parts, which are kept apart until their hash is known,
 * and none of an empty one.
 */
export function contentOfArtifact({ resource, internal }: ArtifactState): StoredContent | undefined {
  const { store, closed, size, tenant } = internal;
  const isStored = store === 'bytes' || (store === 'parts' && closed);
  if (!isStored || resource.sha256 === null || size === 0) return undefined;
  return { scope: contentScope(resource.workspace_id, tenant), sha256: resource.sha256, size };
}

/**
 * Counts the references to stored bytes: who stops referring to `before` refers to `after` now. Counting does not depend on
 * which of the events retention has removed.
 */
export function foldReference(
  states: StateWriter,
  before: StoredContent | undefined,
  after: StoredContent | undefined,
): void {
  if (before !== undefined) addReferences(states, before, -1);
  if (after !== undefined) addReferences(states, after, 1);
}

function addReferences(states: StateWriter, { scope, sha256, size }: StoredContent, change: number): void {
  const key = artifactKeys.content(scope, sha256);
  const references = (states.get<ContentState>(key)?.references ?? 0) + change;
  states.set(key, references === 0 ? undefined : ({ size, references } satisfies ContentState));
}
