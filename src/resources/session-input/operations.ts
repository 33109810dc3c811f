import type { OperationRow } from '#protocol/operation-row.ts';
import { INPUT_LIMITS, sessionInputsRequest, sessionInputsResponse } from './schema.ts';

export const sessionInputsOperations = {
  /** Nothing of it is recorded: it is no command of the log, and takes no Idempotency-Key. */
  updateSessionInputs: {
    kind: 'query',
    method: 'POST',
    path: '/v1/sessions/{session_id}/inputs',
    tag: 'Sessions',
    summary:
      'List, put, remove or synchronize named variables and secrets of a Session, kept in memory only.',
    scope: 'sessions:write',
    level: 'core',
    success: 200,
    body: sessionInputsRequest,
    maxBodyBytes: INPUT_LIMITS.bodyBytes,
    response: sessionInputsResponse,
  },
} as const satisfies Record<string, OperationRow>;
