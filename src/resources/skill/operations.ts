import { listOf } from '#protocol/envelope.ts';
import { type OperationRow, page } from '#protocol/operation-row.ts';
import { skill } from '#resources/discovery/schema.ts';

export const skillsOperations = {
  listSkills: {
    kind: 'query',
    method: 'GET',
    path: '/v1/skills',
    tag: 'Skills',
    summary: 'List the Skills of the agents behind the gateway, as they describe themselves.',
    scope: 'skills:read',
    level: 'extended',
    success: 200,
    query: page,
    response: listOf(skill),
  },
  getSkill: {
    kind: 'query',
    method: 'GET',
    path: '/v1/skills/{skill_id}',
    tag: 'Skills',
    summary: 'Read a Skill; its id is <agent>__<skill of the agent>.',
    scope: 'skills:read',
    level: 'extended',
    success: 200,
    response: skill,
  },
} as const satisfies Record<string, OperationRow>;
