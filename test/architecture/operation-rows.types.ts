// Compiled by `npm run types` (config/tsconfig.check.json), never run: each expected error must stay an error.
import type { Command } from '#core/command.ts';
import type { RoomHandlers } from '#resources/load-rooms.ts';
import type { CommandId, OperationRow } from '#resources/operations.ts';

const { scope, ...withoutScope } = {
  kind: 'query',
  method: 'GET',
  path: '/v1/planted',
  tag: 'Planted',
  summary: 'A row to compare with.',
  scope: 'admin',
  level: 'vendor',
  success: 200,
  response: 'bytes',
} as const satisfies OperationRow;

export const complete = { ...withoutScope, scope } satisfies OperationRow;

// @ts-expect-error An operation without a scope does not build.
export const unprotected = withoutScope satisfies OperationRow;

// @ts-expect-error Neither does one with a scope that nobody can hold.
export const misspelled = { ...withoutScope, scope: 'task:read' } satisfies OperationRow;

declare const handlers: RoomHandlers;
const { cancelTask, ...rest } = handlers;

export const all = { ...rest, cancelTask } satisfies { [Id in CommandId]: Command<Id> };

// @ts-expect-error A command of the table without its file does not build.
export const incomplete = rest satisfies { [Id in CommandId]: Command<Id> };
