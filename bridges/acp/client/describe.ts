import type { JsonObject } from '#protocol/json.ts';
import type { AgentDescription } from '#upstream.ts';
import { isObject, objectOf, textOf } from '../../../mappings/acp/json-shape.ts';

/** What is known of an agent: its own words once it has run, its id until then. */
export function describeAgent(id: string, initialized: JsonObject): AgentDescription {
  const info = objectOf(initialized['agentInfo']);
  const name = textOf(info['title']) ?? textOf(info['name']) ?? id;
  const prompts = objectOf(objectOf(initialized['agentCapabilities'])['promptCapabilities']);
  const media = (['image', 'audio'] as const).filter((kind) => prompts[kind] === true);
  return {
    name,
    description: `${name}, an agent that speaks the Agent Client Protocol.`,
    version: textOf(info['version']) ?? 'unknown',
    skills: [{ id: 'prompt', name, description: 'Works on a prompt.', tags: ['acp'] }],
    inputModes: ['text/plain', ...media.map((kind) => `${kind}/*`)],
    outputModes: ['text/plain'],
    streaming: true,
    raw: isObject(initialized['agentInfo']) ? initialized : null,
  };
}
