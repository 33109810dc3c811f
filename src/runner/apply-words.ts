import { isDeepStrictEqual } from 'node:util';
import type { DecisionTools, MoveTarget } from '#core/facts.ts';
import { newEvent, placeOfTask, type SessionPlace } from '#core/new-event.ts';
import type { StateReader } from '#eventlog/event-log.ts';
import { sha256Hex } from '#json/canonical.ts';
import { jsonSize } from '#json/large-json.ts';
import { type Clean, type CleanObject, word } from '#protocol/clean.ts';
import type { DraftPart, Move, UpdateDraft } from '#protocol-client.ts';
import {
  boundedMetadata,
  contentOf,
  movedMetadata,
  storeArtifact,
} from '#resources/artifact/large-content.ts';
import { artifactKeys, type CleanArtifactState } from '#resources/artifact/state.ts';
import type { Part } from '#resources/message/schema.ts';
import type { CleanTaskState } from '#resources/task/state.ts';

/** Thoughts are internal: readers without `internal:read` see that there was one. */
export function applyReasoning(
  { tx, tools, material }: MoveTarget,
  { resource }: CleanTaskState,
  { text }: Clean<Extract<Move, { type: 'reasoning' }>>,
  given: Extract<Move, { type: 'reasoning' }>,
): void {
  const place = placeOfTask(resource);
  const visibility = 'internal' as const;
  const bytes = Buffer.from(given.text);
  const isLarge = bytes.length > tools.limits.inlineBytes;
  const part: Clean<Part> = isLarge
    ? {
        type: 'artifact_ref',
        artifact_id: storeArtifact(tx, tools, place, bytes, word('text/plain'), visibility).id,
        visibility,
      }
    : { type: 'text', text, visibility };
  const pointer = { object: 'task', id: resource.id };
  tx.append(newEvent('agent.reasoning_summary', pointer, place, { parts: [part], material }));
}

/** A live word of the agent, as it came but for secrets and size. */
export function applyUpdate(
  { tx, tools, material }: MoveTarget,
  { resource }: CleanTaskState,
  { update, betweenTurns }: Clean<Extract<Move, { type: 'update' }>>,
): void {
  const { protocol, kind, about, visibility } = update;
  const place = placeOfTask(resource);
  const body = boundedBody({ tx, tools }, place, update);
  tx.append(
    newEvent('vendor.harn_gateway.agent_update', { object: 'task', id: resource.id }, place, {
      protocol,
      kind,
      about,
      update: { type: 'agent_update', visibility, body },
      material,
      ...(betweenTurns === undefined ? {} : { between_turns: betweenTurns }),
    }),
  );
}

/** Members above this size leave a body that is too large; what names and orders an update stays. */
const MEMBER_BYTES = 4_096;

/** A body within the inline limit; what had to leave is in Artifacts, and references stand in its place. */
function boundedBody(
  { tx, tools }: Pick<MoveTarget, 'tx' | 'tools'>,
  place: SessionPlace,
  { body, visibility }: Clean<UpdateDraft>,
): CleanObject {
  if (jsonSize(body, tools.limits.inlineBytes) <= tools.limits.inlineBytes) return body;
  const members = Object.entries(body).map(([name, value]) => {
    if (jsonSize(value, MEMBER_BYTES) <= MEMBER_BYTES) return [name, value] as const;
    return [name, movedMetadata(tx, tools, place, { [name]: value }, visibility)] as const;
  });
  return boundedMetadata(tx, tools, place, Object.fromEntries(members), visibility);
}

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
    const artifact = states.get<CleanArtifactState>(artifactKeys.artifact(stored.artifact_id));
    return artifact?.resource.sha256 === sha256Hex(bytes);
  }
  const clean = redact(said).value;
  return isDeepStrictEqual(bare(clean), bare(stored));
}

function bare({ metadata: _, ...content }: DraftPart): object {
  return content;
}
