import type { Caller } from '../auth/caller.ts';
import type { Call, CallHead } from '../gateway.ts';
import { refusedByScope } from '../policy/access.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { OperationRow } from '../protocol/operations.ts';
import { type DecodedInput, decodeInput } from './decode-input.ts';
import { type ResolvedCaller, resolved } from './door.ts';

/** A call on its way in. */
export interface Passage {
  row: OperationRow;
  /** Without a body where only the caller is asked about. */
  call: Call | CallHead;
  by: ResolvedCaller;
}

export interface Admitted {
  caller: Caller;
  input: DecodedInput;
}

/**
 * What happens to every call of a caller before anything is loaded, in this order for every face, once its door has said 401
 * or 426: 403 before 400 (contract C22). A step refuses by throwing a ProtocolError.
 */
export const ADMISSION: readonly (readonly [name: string, step: (passage: Passage) => void])[] = [
  ['check_standing', ({ by }) => by.checkStanding()],
  ['check_scope', checkScope],
  ['check_idempotency_key', checkIdempotencyKey],
];

/** Scope and key only; used where the input is not read yet, or decides about an answer that may be stored. */
export function admitCaller(row: OperationRow, call: Call | CallHead): ResolvedCaller {
  const by = resolved(call);
  for (const [, step] of ADMISSION) step({ row, call, by });
  return by;
}

/** The caller and what it asks, read from the parts of the call. */
export function admit(row: OperationRow, call: Call): Admitted {
  const { caller } = admitCaller(row, call);
  return { caller, input: decodeInput(row, call) };
}

function checkScope({ row, by }: Passage): void {
  if (refusedByScope({ caller: by.caller, scope: row.scope }) === undefined) return;
  throw new ProtocolError(
    'permission_denied',
    `Your credentials lack the scope ${row.scope}. Ask for a key that has it.`,
    {
      details: { required_scope: row.scope },
    },
  );
}

/** 1 to 255 visible characters. Source: OpenAPI, parameter IdempotencyKey. */
const IDEMPOTENCY_KEY = /^[!-~]([ -~]{0,253}[!-~])?$/;

function checkIdempotencyKey({ call }: Passage): void {
  if (call.idempotencyKey === undefined || IDEMPOTENCY_KEY.test(call.idempotencyKey)) return;
  const message = 'An Idempotency-Key has 1 to 255 printable ASCII characters. A UUID is a good one.';
  throw new ProtocolError('invalid_request', message, { param: 'Idempotency-Key' });
}
