import type { Authenticate, Authentication, Caller } from '../auth/caller.ts';
import type { AuthenticateDelivery } from '../auth/delivery-signature.ts';
import type { Call, CallHead } from '../gateway.ts';
import { refusedByScope } from '../policy/access.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { OperationRow } from '../protocol/operations.ts';
import { isAboutProof, REFUSAL_REASONS } from '../protocol/refusal-reasons.ts';
import { SUPPORTED_VERSIONS, VERSION_HEADER } from '../protocol/version.ts';
import { type DecodedInput, decodeInput, isRawBody } from './decode-input.ts';

/** A call on its way in; every step fills in what the next one needs. */
export interface Passage {
  row: OperationRow;
  /** Without a body where only the caller is asked about. */
  call: Call | CallHead;
  authenticate: Authenticate;
  /** For rows that are signed by their sender. */
  authenticateDelivery?: AuthenticateDelivery;
  caller?: Caller;
  input?: DecodedInput;
}

export interface Admitted {
  caller: Caller;
  input: DecodedInput;
}

/**
 * What happens to every call before anything is loaded, in this order for every face: 401 before 426 before 403 before
 * 400 (contract C22). A step refuses by throwing a ProtocolError.
 */
export const ADMISSION: readonly (readonly [name: string, step: (passage: Passage) => void])[] = [
  ['authenticate', authenticate],
  ['check_version', checkVersion],
  ['check_scope', checkScope],
  ['check_idempotency_key', checkIdempotencyKey],
  ['decode_input', decode],
];

const CALLER_STEPS = ADMISSION.filter(([name]) => name !== 'decode_input');

export function admit(passage: Passage): Admitted {
  for (const [, step] of ADMISSION) step(passage);
  const { caller, input } = passage;
  if (!caller || !input) throw new Error('admission ended without a caller or an input');
  return { caller, input };
}

/** Identity, version and scope only; used where the input decides about an answer that may be stored. */
export function admitCaller(passage: Passage): Caller {
  for (const [, step] of CALLER_STEPS) step(passage);
  if (!passage.caller) throw new Error('admission ended without a caller');
  return passage.caller;
}

const SEND_A_KEY = 'Send a valid key as "Authorization: Bearer <key>".';
const SIGN_IT = 'Sign the delivery with the secret of this connector, with the time of now.';

/** The signature covers the body, so a delivery is judged once it is read. */
function ofSender({ call, authenticateDelivery }: Passage): Authentication {
  const body = 'body' in call ? call.body : undefined;
  if (!authenticateDelivery || !isRawBody(body)) return { kind: 'unauthenticated' };
  const { bytes, headers = {} } = body;
  return authenticateDelivery({ connectorId: call.path['connector_id'] ?? '', headers, bytes });
}

function authenticate(passage: Passage): void {
  const isSigned = passage.row.scope === 'signature';
  const result = isSigned ? ofSender(passage) : passage.authenticate(passage.call);
  passage.caller = authenticated(result, isSigned ? SIGN_IT : SEND_A_KEY);
}

/** The caller, or the refusal of everybody else. */
export function authenticated(result: Authentication, advice: string = SEND_A_KEY): Caller {
  if (result.kind === 'caller') return result.caller;
  if (result.kind === 'unauthenticated') throw unauthenticated(result, advice);
  const message = 'Your credentials cannot be checked right now. Retry later.';
  throw new ProtocolError('service_unavailable', message, { retryAfterSeconds: 5 });
}

/** Says why a credential was refused, where one was sent. */
function unauthenticated(
  { refusal }: Extract<Authentication, { kind: 'unauthenticated' }>,
  advice: string = SEND_A_KEY,
): ProtocolError {
  if (refusal === undefined) return new ProtocolError('unauthenticated', advice);
  const { scheme, reason } = refusal;
  const description = REFUSAL_REASONS[reason];
  const error = isAboutProof(reason) ? 'invalid_dpop_proof' : 'invalid_token';
  const challenge = { scheme, error, description, reason } as const;
  return new ProtocolError('unauthenticated', `${description} ${advice}`, { challenge });
}

function checkVersion({ row, call }: Passage): void {
  if (row.scope === 'signature') return;
  const asked = call.protocolVersion;
  if (asked === 'exempt' || (asked !== undefined && SUPPORTED_VERSIONS.includes(asked))) return;
  const message =
    asked === undefined
      ? `Send the header ${VERSION_HEADER}: ${SUPPORTED_VERSIONS[0]}.`
      : `This protocol version is not supported. Send ${VERSION_HEADER}: ${SUPPORTED_VERSIONS[0]}.`;
  throw new ProtocolError('unsupported_protocol_version', message, {
    param: VERSION_HEADER,
    details: { supported_versions: [...SUPPORTED_VERSIONS] },
  });
}

function checkScope({ row, caller }: Passage): void {
  if (row.scope === 'public' || (caller && refusedByScope({ caller, scope: row.scope }) === undefined))
    return;
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

function decode(passage: Passage): void {
  const { row, call } = passage;
  passage.input = decodeInput(row, {
    path: call.path,
    query: call.query,
    body: 'body' in call ? call.body : undefined,
  });
}
