import type { Transaction } from '../eventlog/event-log.ts';
import { fitsAsJson } from '../json/json-size.ts';
import { type CleanObject, word } from '../protocol/clean.ts';
import type { Artifact } from '../protocol/resources/artifact.ts';
import type { DecisionTools } from './facts.ts';
import { storeArtifact } from './large-content.ts';
import type { Place } from './new-event.ts';

/** Member under which metadata says where it went. */
export const LARGE_METADATA = 'large_metadata';

/**
 * Metadata of an agent as it is kept: itself, or above the inline limit `{large_metadata: {artifact_id, size}}` with the
 * whole of it, without secrets, in a JSON Artifact (contract C27). An agent is never refused for what it tells.
 */
export function boundedMetadata(
  tx: Transaction,
  tools: DecisionTools,
  place: Place,
  metadata: CleanObject,
  visibility: Artifact['visibility'] = 'public',
): CleanObject {
  if (fitsAsJson(metadata, tools.limits.inlineBytes)) return metadata;
  return movedMetadata(tx, tools, place, metadata, visibility);
}

/** The reference, with the metadata moved out whatever its size. */
export function movedMetadata(
  tx: Transaction,
  tools: DecisionTools,
  place: Place,
  metadata: CleanObject,
  visibility: Artifact['visibility'] = 'public',
): CleanObject {
  const bytes = Buffer.from(JSON.stringify(metadata));
  const { id } = storeArtifact(tx, tools, place, bytes, word('application/json'), visibility);
  return { [LARGE_METADATA]: { artifact_id: id, size: bytes.length } };
}

/** A thing that carries metadata of an agent, with that bounded and as visible as the thing. */
export function withBoundedMetadata<Thing extends Described>(
  tx: Transaction,
  tools: DecisionTools,
  place: Place,
  thing: Thing,
): Thing {
  if (thing.metadata === undefined) return thing;
  return { ...thing, metadata: boundedMetadata(tx, tools, place, thing.metadata, thing.visibility) };
}

interface Described {
  metadata?: CleanObject | undefined;
  visibility?: Artifact['visibility'];
}
