import type { TaskState } from '../../projections/states.ts';
import type { Part } from '../../protocol/resources/message.ts';
import type { Move } from '../../upstream.ts';
import { storeArtifact } from '../large-content.ts';
import { boundedMetadata } from '../large-metadata.ts';
import { newEvent, placeOfTask } from '../new-event.ts';
import type { MoveTarget } from './move-target.ts';

/** Thoughts are internal: readers without `internal:read` see that there was one. */
export function applyReasoning(
  { tx, tools, material }: MoveTarget,
  { resource }: TaskState,
  { text }: Extract<Move, { type: 'reasoning' }>,
): void {
  const place = placeOfTask(resource);
  const visibility = 'internal' as const;
  const bytes = Buffer.from(text);
  const isLarge = bytes.length > tools.limits.inlineBytes;
  const part: Part = isLarge
    ? {
        type: 'artifact_ref',
        artifact_id: storeArtifact(tx, tools, place, bytes, 'text/plain', visibility).id,
        visibility,
      }
    : { type: 'text', text, visibility };
  const pointer = { object: 'task', id: resource.id };
  tx.append(newEvent('agent.reasoning_summary', pointer, place, { parts: [part], material }));
}

/** A live word of the agent, as it came but for secrets and size. */
export function applyUpdate(
  { tx, tools, material }: MoveTarget,
  { resource }: TaskState,
  { update }: Extract<Move, { type: 'update' }>,
): void {
  const { protocol, kind, about, visibility } = update;
  const place = placeOfTask(resource);
  const body = boundedMetadata(tx, tools, place, update.body, visibility);
  tx.append(
    newEvent('vendor.harn_gateway.agent_update', { object: 'task', id: resource.id }, place, {
      protocol,
      kind,
      about,
      update: { type: 'agent_update', visibility, body },
      material,
    }),
  );
}
