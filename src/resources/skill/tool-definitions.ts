import { newEvent } from '#core/new-event.ts';
import type { EventLog, StateReader } from '#eventlog/event-log.ts';
import type { Clean, CleanText } from '#protocol/clean.ts';
import type { PayloadOf } from '#resources/event-payloads.ts';
import type { ToolDefinitionState } from '#resources/read-states.ts';
import { stateKey } from '#resources/state-keys.ts';

type DefinitionPayload = PayloadOf<'vendor.harn_gateway.skill_definition'>;

/** The accepted definition of a tool; undefined for one that was never listed. */
export function pinnedDefinition(reader: StateReader, route: string, tool: string): string | undefined {
  return reader.get<ToolDefinitionState>(stateKey.toolDefinition(route, tool))?.pinned_sha256;
}

/** Records what happened to the definitions of an upstream; a change that was recorded before is not recorded again. */
export async function recordDefinitions(
  log: EventLog,
  tenant: CleanText,
  route: CleanText,
  changes: readonly Clean<Omit<DefinitionPayload, 'route'> & { skill: string }>[],
): Promise<void> {
  await log.transact({ actor: route }, (tx) => {
    for (const { skill, ...definition } of changes) {
      const known = tx.get<ToolDefinitionState>(stateKey.toolDefinition(route, definition.tool));
      if (definition.change === 'changed' && known?.seen_sha256 === definition.definition_sha256) continue;
      const pointer = { object: 'skill', id: skill };
      const kind = 'vendor.harn_gateway.skill_definition';
      tx.append(newEvent(kind, pointer, { tenant_id: tenant }, { ...definition, route }));
    }
  });
}
