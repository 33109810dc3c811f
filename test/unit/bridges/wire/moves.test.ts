import { describe, expect, it } from 'vitest';
import { endMoves, failureOfFault } from '../../../../bridges/wire/moves.ts';

describe('the end of a turn', () => {
  it.each(['COMPLETED', 'FAILED', 'INPUT_REQUIRED', 'AUTH_REQUIRED'] as const)(
    'changes nothing of a task that is %s',
    (status) => {
      expect(endMoves({ status }, 'agent')).toEqual([]);
    },
  );

  it('is a failure of work that goes on', () => {
    expect(endMoves({ status: 'WORKING' }, 'server')).toEqual([
      {
        type: 'status',
        to: 'FAILED',
        failure: {
          code: 'upstream_unavailable',
          message: 'The server ended without a result.',
          type: 'upstream_error',
        },
      },
    ]);
  });
});

describe('a failure', () => {
  it.each([
    'upstream_unavailable',
    'deadline_exceeded',
    'payload_too_large',
    'auth_required',
    'rejected',
  ] as const)('by the fault %s is one of the agent, never an error of the request', (code) => {
    const frame = { kind: 'fault' as const, code, message: 'No.' };
    expect(failureOfFault(frame)).toEqual({ code, message: 'No.', type: 'upstream_error' });
    const details = { reason: 'x' };
    expect(failureOfFault({ ...frame, details })).toMatchObject({ details });
  });

  it('by a fault that a replay puts in the place of another one has the type of its code', () => {
    const frame = { kind: 'fault' as const, code: 'internal_error' as never, message: 'No.' };
    expect(failureOfFault(frame)).toMatchObject({ type: 'server_error' });
  });
});
