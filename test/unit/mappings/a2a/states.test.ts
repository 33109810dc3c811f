import { describe, expect, it } from 'vitest';
import {
  decodeState,
  outwardState,
  STATES_V1,
  STATES_V03,
  statusOf,
} from '../../../../mappings/a2a/states.ts';

// Copied by hand: see mappings/README.md, States.
const ROWS = [
  ['SUBMITTED', 'TASK_STATE_SUBMITTED', 'submitted'],
  ['WORKING', 'TASK_STATE_WORKING', 'working'],
  ['INPUT_REQUIRED', 'TASK_STATE_INPUT_REQUIRED', 'input-required'],
  ['AUTH_REQUIRED', 'TASK_STATE_AUTH_REQUIRED', 'auth-required'],
  ['COMPLETED', 'TASK_STATE_COMPLETED', 'completed'],
  ['FAILED', 'TASK_STATE_FAILED', 'failed'],
  ['REJECTED', 'TASK_STATE_REJECTED', 'rejected'],
  ['CANCELED', 'TASK_STATE_CANCELED', 'canceled'],
] as const;

describe('task states', () => {
  it.each(ROWS)('%s goes to both versions and comes back', (harn, v1, v03) => {
    expect(STATES_V1.encode(harn)).toEqual({ known: true, word: v1, loses: undefined });
    expect(STATES_V03.encode(harn)).toEqual({ known: true, word: v03, loses: undefined });
    expect(decodeState(v1)).toEqual({ known: true, word: harn, loses: undefined });
    expect(decodeState(v03)).toEqual({ known: true, word: harn, loses: undefined });
  });

  it('has no other Harn words and no other foreign words than the pinned ones', () => {
    expect(Object.keys(STATES_V1.toForeign).sort()).toEqual(ROWS.map(([harn]) => harn).sort());
    expect(Object.keys(STATES_V1.fromForeign).sort()).toEqual(
      [...ROWS.map(([, v1]) => v1), 'TASK_STATE_UNSPECIFIED'].sort(),
    );
    expect(Object.keys(STATES_V03.fromForeign).sort()).toEqual(
      [...ROWS.map(([, , v03]) => v03), 'unknown'].sort(),
    );
  });

  it.each([
    ['cancelled', 'CANCELED'],
    ['CANCELLED', 'CANCELED'],
    ['TASK_STATE_CANCELLED', 'CANCELED'],
    ['input_required', 'INPUT_REQUIRED'],
    ['auth_required', 'AUTH_REQUIRED'],
    ['succeeded', 'COMPLETED'],
    ['error', 'FAILED'],
  ])('takes the spelling %s for %s', (text, harn) => {
    expect(decodeState(text)).toMatchObject({ known: true, word: harn });
  });

  it.each([
    'TASK_STATE_UNSPECIFIED',
    'unknown',
    'Completed',
    'TASK_STATE_DONE',
    '',
    'constructor',
    '__proto__',
  ])('does not know %j and keeps it raw', (text) => {
    expect(decodeState(text)).toMatchObject({ known: false, raw: text });
  });

  it('says what the words without a state lose', () => {
    expect(decodeState('unknown').loses).toMatch(/raw_state/);
    expect(decodeState('TASK_STATE_UNSPECIFIED').loses).toMatch(/raw_state/);
  });

  it('sends a failure that rejects as REJECTED, and takes REJECTED in as FAILED', () => {
    expect(outwardState('FAILED', 'rejected')).toBe('REJECTED');
    expect(outwardState('FAILED', 'policy_violation')).toBe('REJECTED');
    expect(outwardState('FAILED', 'runtime_error')).toBe('FAILED');
    expect(outwardState('COMPLETED', 'rejected')).toBe('COMPLETED');
    expect(statusOf('REJECTED')).toBe('FAILED');
  });
});
