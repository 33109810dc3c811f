import type { RoutedAgent, SelfFacts } from '#core/facts.ts';
import { sha256Hex } from '#json/sha256.ts';
import { skillIdOf } from '#protocol/skill-id.ts';
import type { DescribedSkill } from '#protocol-client.ts';
import type { Skill } from '#resources/discovery/schema.ts';

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
