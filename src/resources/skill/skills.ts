import type { RoutedAgent, SelfFacts } from '#core/facts.ts';
import { newEvent } from '#core/new-event.ts';
import type { EventLog, StateReader } from '#eventlog/event-log.ts';
import { sha256Hex } from '#json/canonical.ts';
import type { Clean, CleanText } from '#protocol/clean.ts';
import type { JsonObject } from '#protocol/json.ts';
import { skillIdOf } from '#protocol/skill-id.ts';
import type { DescribedSkill } from '#protocol-client.ts';
import type { Skill } from '#resources/discovery/schema.ts';
import type { PayloadOf } from '#resources/event-payloads.ts';
import { type CleanToolDefinitionState, skillKeys } from './state.ts';

/** The Skills of all agents that have described themselves. Ids stay the same while agent and skill keep theirs. */
export function skillsOf(self: SelfFacts): Skill[] {
  return self
    .agents()
    .flatMap((agent) => agent.description.skills.map((skill) => skillOf(agent, skill, self)));
}

function skillOf(agent: RoutedAgent, skill: DescribedSkill, { startedAt, asksFor }: SelfFacts): Skill {
  const { tool } = skill;
  const id = skillId(agent.route, skill.id);
  return {
    id,
    object: 'skill',
    created_at: startedAt,
    updated_at: startedAt,
    metadata: metadataOf(agent, skill),
    name: tool === undefined ? skill.name : id,
    description: skill.description,
    input_schema: tool?.inputSchema ?? null,
    output_schema: tool?.outputSchema ?? null,
    source: agent.route,
    version: tool?.definitionSha256 ?? agent.description.version,
    capabilities: [],
    requires_approval: tool !== undefined && (tool.judged ? asksFor(tool.judged) : tool.requiresApproval),
    deprecated: tool?.deprecated ?? false,
  };
}

/** The id of the Skill that an agent calls `id`. */
export function skillId(route: string, id: string): string {
  return skillIdOf(route, id, sha256Hex);
}

const SKILL_ROUTE = 'skill:';

/** The agent that has the Skill of a route `skill:<id>`. */
export function routeOfSkill(
  name: string,
  agents: readonly RoutedAgent[],
): { route: string; skillId: string } | undefined {
  if (!name.startsWith(SKILL_ROUTE)) return undefined;
  const id = name.slice(SKILL_ROUTE.length);
  for (const { route, description } of agents) {
    const found = description.skills.find((skill) => skillId(route, skill.id) === id);
    if (found) return { route, skillId: found.id };
  }
  return undefined;
}

/** Whether `skill:<id>` is a name as Skills of this route have. */
export function isSkillOf(name: string, route: string): boolean {
  return name.startsWith(`${SKILL_ROUTE}${route.slice(route.indexOf(':') + 1)}__`);
}

function metadataOf({ route }: RoutedAgent, { id, tags, examples, tool }: DescribedSkill): Skill['metadata'] {
  const said = { ...(examples === undefined ? {} : { examples }), ...tool?.metadata };
  return { route, agent_skill_id: id, tags, ...said };
}

type DefinitionPayload = PayloadOf<'vendor.harn_gateway.skill_definition'>;

/** The accepted definition of a tool; undefined for one that was never listed. */
export function pinnedDefinition(
  reader: StateReader,
  route: string,
  tool: string,
): { sha256: string; shown: JsonObject | undefined } | undefined {
  const known = reader.get<CleanToolDefinitionState>(skillKeys.toolDefinition(route, tool));
  return known && { sha256: known.pinned_sha256, shown: known.pinned };
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
      const known = tx.get<CleanToolDefinitionState>(skillKeys.toolDefinition(route, definition.tool));
      if (definition.change === 'changed' && known?.seen_sha256 === definition.definition_sha256) continue;
      const pointer = { object: 'skill', id: skill };
      const kind = 'vendor.harn_gateway.skill_definition';
      tx.append(newEvent(kind, pointer, { tenant_id: tenant }, { ...definition, route }));
    }
  });
}
