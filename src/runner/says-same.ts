import { isDeepStrictEqual } from 'node:util';
import type { DecisionTools } from '#core/facts.ts';
import type { StateReader } from '#eventlog/event-log.ts';
import { sha256Hex } from '#json/sha256.ts';
import type { DraftPart } from '#protocol-client.ts';
import { contentOf } from '#resources/artifact/large-content.ts';
import type { Part } from '#resources/message/schema.ts';
import type { ArtifactState } from '#resources/read-states.ts';
import { stateKey } from '#resources/state-keys.ts';

/**
 * True when these parts are what the stored ones were made of: secrets are replaced in those, and bytes and large content are
 * Artifacts. Metadata does not count.
 */
export function saysSame(
  states: StateReader,
  redact: DecisionTools['redact'],
  stored: readonly Part[],
  said: readonly DraftPart[],
): boolean {
  return stored.length === said.length && stored.every((part, at) => isSame(states, redact, part, said[at]));
}

function isSame(
  states: StateReader,
  redact: DecisionTools['redact'],
  stored: Part,
  said: DraftPart | undefined,
): boolean {
  if (said === undefined) return false;
  const bytes = said.type === 'bytes' ? Buffer.from(said.base64, 'base64') : contentOf(said)?.text;
  const isStoredApart = stored.type === 'artifact_ref' || stored.type === 'image_ref';
  if (bytes !== undefined && isStoredApart) {
    const artifact = states.get<ArtifactState>(stateKey.artifact(stored.artifact_id));
    return artifact?.resource.sha256 === sha256Hex(bytes);
  }
  const clean = redact(said).value;
  return isDeepStrictEqual(bare(clean), bare(stored));
}

function bare({ metadata: _, ...content }: DraftPart): object {
  return content;
}
