import { listOf } from '#protocol/envelope.ts';
import { type OperationRow, page } from '#protocol/operation-row.ts';
import { createPersonaRequest, persona, updatePersonaRequest } from './schema.ts';

export const personasOperations = {
  listPersonas: {
    kind: 'query',
    method: 'GET',
    path: '/v1/personas',
    tag: 'Personas',
    summary: 'List the Personas of the tenant, configured ones included.',
    scope: 'personas:read',
    level: 'extended',
    success: 200,
    query: page,
    response: listOf(persona),
  },
  createPersona: {
    kind: 'command',
    method: 'POST',
    path: '/v1/personas',
    tag: 'Personas',
    summary: 'Create a Persona. It routes its Tasks; its tier, tools, handoffs and policies bind them.',
    scope: 'personas:write',
    level: 'extended',
    success: 201,
    body: createPersonaRequest,
    response: persona,
  },
  getPersona: {
    kind: 'query',
    method: 'GET',
    path: '/v1/personas/{persona_id}',
    tag: 'Personas',
    summary: 'Read a Persona.',
    scope: 'personas:read',
    level: 'extended',
    success: 200,
    response: persona,
  },
  updatePersona: {
    kind: 'command',
    method: 'PATCH',
    path: '/v1/personas/{persona_id}',
    tag: 'Personas',
    summary: 'Update description, receipt policy, quota or metadata of a Persona; its next revision.',
    scope: 'personas:write',
    level: 'extended',
    success: 200,
    body: updatePersonaRequest,
    response: persona,
  },
} as const satisfies Record<string, OperationRow>;
