import type { OperationRow } from '#protocol/operation-row.ts';
import { replayCheck, replayCheckRequest } from './schema.ts';

export const replayOperations = {
  startReplayCheck: {
    kind: 'command',
    method: 'POST',
    path: '/v1/admin/replay-check',
    tag: 'Tasks',
    summary:
      'Replay a sample of the ended Tasks in the background, without leaving anything in the log, and count what came out.',
    scope: 'operator',
    level: 'vendor',
    success: 202,
    body: replayCheckRequest,
    bodyRequired: false,
    response: replayCheck,
    mayConflict: true,
  },
  getReplayCheck: {
    kind: 'query',
    method: 'GET',
    path: '/v1/admin/replay-check',
    tag: 'Tasks',
    summary: 'Read the replay check that runs, else the newest since the start of the gateway.',
    scope: 'operator',
    level: 'vendor',
    success: 200,
    response: replayCheck,
  },
} as const satisfies Record<string, OperationRow>;
