import { sha256Hex } from '../json/sha256.ts';
import type { Skill } from '../protocol/resources/discovery.ts';
import type { RoutedAgent, SelfFacts } from './facts.ts';

/** Longest part of an agent's own skill id that is kept in ours. */
const KEPT_CHARS = 48;

/** The Skills of all agents that have described themselves. Ids stay the same while agent and skill keep theirs. */
export function skillsOf({ agents, startedAt }: SelfFacts): Skill[] {
  return agents().flatMap((agent) =>
    agent.description.skills.map((skill) => ({
      id: skillId(agent.route, skill.id),
      object: 'skill',
      created_at: startedAt,
      updated_at: startedAt,
      metadata: metadataOf(agent, skill),
      name: skill.name,
      description: skill.description,
      input_schema: null,
      output_schema: null,
      source: agent.route,
      version: agent.description.version,
      capabilities: [],
      requires_approval: false,
      deprecated: false,
    })),
  );
}

/** `a2a:shop` and `search` make `shop__search`; ids that cannot stand in a path are cut and told apart by a hash. */
export function skillId(route: string, id: string): string {
  const agent = route.slice(route.indexOf(':') + 1);
  if (/^[A-Za-z0-9_.-]{1,64}$/.test(id)) return `${agent}__${id}`;
  const kept = id.replace(/[^A-Za-z0-9_.-]/g, '-').slice(0, KEPT_CHARS);
  return `${agent}__${kept}-${sha256Hex(id).slice(0, 8)}`;
}

function metadataOf(
  { route }: RoutedAgent,
  { id, tags, examples }: RoutedAgent['description']['skills'][number],
): Skill['metadata'] {
  return { route, agent_skill_id: id, tags, ...(examples === undefined ? {} : { examples }) };
}
