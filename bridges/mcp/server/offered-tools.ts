import type { SideEffectClass } from '#protocol/autonomy.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import type { ServerAgent } from '#protocol-server.ts';
import type { Skill } from '#resources/discovery/schema.ts';
import { HINTS_OF, SIDE_EFFECTS, type SideEffect } from '../../../mappings/mcp/side-effects.ts';
import { sha256 } from '../../wire/sha256.ts';

/** A tool of this server, and where a call of it runs. */
export interface OfferedTool {
  definition: JsonObject & { name: string };
  route: string;
  /** `skill`: the arguments are the input. `agent`: the argument `message` is what the agent gets. */
  kind: 'skill' | 'agent';
  /** What the policy judges: the route of whoever runs it, and what it may do there. */
  judged: { route: string; sideEffect: SideEffectClass };
}

/** Longest name that model providers take. */
const MAX_NAME = 64;
const KEPT = 53;

/** A name of the alphabet that model providers take; a changed one is made unique by a hash. */
export function toolName(id: string): string {
  if (id.length <= MAX_NAME && /^[A-Za-z0-9_-]+$/.test(id)) return id;
  const hash = sha256(id).slice(0, 10);
  return `${hash}_${id.replace(/[^A-Za-z0-9_-]/g, '-').slice(-KEPT)}`;
}

/** The Skills that have a schema as tools of their own, and every agent as `ask_<agent>`, by name. */
export function offeredTools(skills: readonly Skill[], agents: readonly ServerAgent[]): OfferedTool[] {
  const offered = [
    ...skills.filter(({ deprecated, input_schema }) => !deprecated && input_schema !== null).map(toolOfSkill),
    ...agents.filter(({ route }) => !route.startsWith('mcp:')).map(toolOfAgent),
  ];
  return offered.sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
}

function toolOfSkill(skill: Skill): OfferedTool {
  const { title } = rawTool(skill.metadata);
  const sideEffect = sideEffectOf(skill.metadata['side_effect']);
  return {
    kind: 'skill',
    judged: { route: skill.source ?? '', sideEffect },
    route: `skill:${skill.id}`,
    definition: {
      name: toolName(skill.id),
      ...(typeof title === 'string' ? { title } : {}),
      description: skill.description,
      inputSchema: skill.input_schema ?? { type: 'object' },
      ...(skill.output_schema === null ? {} : { outputSchema: skill.output_schema }),
      // The hints are those of the class that the gateway treats the tool as, not the server's own words.
      annotations: { ...HINTS_OF[sideEffect] },
    },
  };
}

function sideEffectOf(declared: JsonValue | undefined): SideEffect {
  return SIDE_EFFECTS.find((word) => word === declared) ?? 'destructive';
}

function rawTool(metadata: JsonObject): JsonObject {
  return objectOf(objectOf(metadata['mcp'])['tool']);
}

const ASK_INPUT: JsonObject = {
  type: 'object',
  properties: {
    message: { type: 'string', description: 'The message for the agent.' },
  },
  required: ['message'],
  additionalProperties: false,
};

const ASK_OUTPUT: JsonObject = {
  type: 'object',
  properties: {
    task_id: { type: 'string' },
    session_id: { type: 'string' },
    status: { type: 'string' },
    text: { type: 'string' },
  },
  required: ['task_id', 'status', 'text'],
};

function toolOfAgent({ id, route, description }: ServerAgent): OfferedTool {
  const about = description === undefined ? '' : ` ${description.name}: ${description.description}`;
  return {
    kind: 'agent',
    route,
    judged: { route, sideEffect: 'delegate' },
    definition: {
      name: toolName(`ask_${id}`),
      description: `Gives the agent ${id} a task and answers with its result.${about}`,
      inputSchema: ASK_INPUT,
      outputSchema: ASK_OUTPUT,
      annotations: { ...HINTS_OF.destructive },
    },
  };
}
