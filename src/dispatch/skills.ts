import { sha256Hex } from '../json/sha256.ts';
import type { Skill } from '../protocol/resources/discovery.ts';
import type { DescribedSkill } from '../upstream.ts';
import type { Route, RoutedAgent, SelfFacts } from './facts.ts';

/** Longest part of an agent's own skill id that is kept in ours. */
const KEPT_CHARS = 48;

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

/** `a2a:shop` and `search` make `shop__search`; ids that cannot stand in a path are cut and told apart by a hash. */
export function skillId(route: string, id: string): string {
  const agent = route.slice(route.indexOf(':') + 1);
  if (/^[A-Za-z0-9_.-]{1,64}$/.test(id)) return `${agent}__${id}`;
  const kept = id.replace(/[^A-Za-z0-9_.-]/g, '-').slice(0, KEPT_CHARS);
  return `${agent}__${kept}-${sha256Hex(id).slice(0, 8)}`;
}

const SKILL_ROUTE = 'skill:';

/** The agent that has the Skill of a route `skill:<id>`. */
export function routeOfSkill(name: string, agents: readonly RoutedAgent[]): Route | undefined {
  if (!name.startsWith(SKILL_ROUTE)) return undefined;
  const id = name.slice(SKILL_ROUTE.length);
  for (const { route, description } of agents) {
    const found = description.skills.find((skill) => skillId(route, skill.id) === id);
    if (found) return { route, skillId: found.id };
  }
  return undefined;
}

function metadataOf({ route }: RoutedAgent, { id, tags, examples, tool }: DescribedSkill): Skill['metadata'] {
  const said = { ...(examples === undefined ? {} : { examples }), ...tool?.metadata };
  return { route, agent_skill_id: id, tags, ...said };
}
