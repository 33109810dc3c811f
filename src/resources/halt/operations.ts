import { z } from 'zod';
import { listOf } from '#protocol/envelope.ts';
import { type OperationRow, page } from '#protocol/operation-row.ts';
import { createHaltRequest, halt, placedHalt, releaseHaltRequest } from './schema.ts';

export const haltsOperations = {
  listHalts: {
    kind: 'query',
    method: 'GET',
    path: '/v1/admin/halts',
    tag: 'Administration',
    summary: 'List the halts in force, newest first, or all there ever were.',
    scope: 'operator',
    level: 'vendor',
    success: 200,
    query: page.extend({ state: z.enum(['in_force', 'all']).default('in_force') }),
    response: listOf(halt),
  },
  createHalt: {
    kind: 'command',
    method: 'POST',
    path: '/v1/admin/halts',
    tag: 'Administration',
    summary:
      'Halt an agent or a tool at once: what runs there ends, what comes is refused, until the halt is released. One that is halted keeps its halt, and what runs is ended again.',
    scope: 'operator',
    level: 'vendor',
    success: 200,
    body: createHaltRequest,
    response: placedHalt,
  },
  getHalt: {
    kind: 'query',
    method: 'GET',
    path: '/v1/admin/halts/{halt_id}',
    tag: 'Administration',
    summary: 'Read a halt, in force or released.',
    scope: 'operator',
    level: 'vendor',
    success: 200,
    response: halt,
  },
  releaseHalt: {
    kind: 'command',
    method: 'POST',
    path: '/v1/admin/halts/{halt_id}/release',
    tag: 'Administration',
    summary: 'Release a halt: new tasks run again; those that it ended stay ended.',
    scope: 'operator',
    level: 'vendor',
    success: 200,
    body: releaseHaltRequest,
    bodyRequired: false,
    response: halt,
  },
} as const satisfies Record<string, OperationRow>;
