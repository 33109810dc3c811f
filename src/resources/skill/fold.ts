import type { Event, StateWriter } from '#eventlog/event-log.ts';
import { type Folds, payload } from '#resources/payload.ts';
import { skillKeys, type ToolDefinitionState } from './state.ts';

export const folds: Folds = {
  'vendor.harn_gateway.skill_definition': [foldSkillDefinition],
};

/** The first definition is the one a tool is held to, until another one is accepted. */
function foldSkillDefinition(event: Event, states: StateWriter): void {
  const definition = payload(event, 'vendor.harn_gateway.skill_definition');
  const key = skillKeys.toolDefinition(definition.route, definition.tool);
  const before = states.get<ToolDefinitionState>(key);
  const { definition_sha256: seen_sha256, definition: shown } = definition;
  const kept = definition.change === 'accepted' ? undefined : before;
  const pinned =
    kept?.pinned ?? (kept === undefined || kept.pinned_sha256 === seen_sha256 ? shown : undefined);
  states.set(key, {
    pinned_sha256: kept?.pinned_sha256 ?? seen_sha256,
    seen_sha256,
    ...(pinned === undefined ? {} : { pinned }),
  } satisfies ToolDefinitionState);
}
