import { type ErrorCode, ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { A2A_ERRORS, type A2aErrorName, type A2aErrorRow, HARN_ERRORS, type OutwardError } from './errors.ts';

const A2A_DOMAIN = 'a2a-protocol.org';
/** Domain of reasons that A2A has no word for: the codes of the Harn Agents Protocol. */
const HARN_DOMAIN = 'harnlang.com';

/** The Harn code of a refusal by the protocol server itself: it decides log, `WWW-Authenticate` and `Retry-After`. */
const REFUSED_AS = {
  TaskNotFound: 'resource_not_found',
  TaskNotCancelable: 'conflict',
  PushNotificationNotSupported: 'policy_violation',
  UnsupportedOperation: 'invalid_state_transition',
  ContentTypeNotSupported: 'invalid_request',
  InvalidAgentResponse: 'upstream_unavailable',
  ExtendedAgentCardNotConfigured: 'policy_violation',
  ExtensionSupportRequired: 'policy_violation',
  VersionNotSupported: 'unsupported_protocol_version',
  ParseError: 'invalid_request',
  InvalidRequest: 'invalid_request',
  MethodNotFound: 'invalid_request',
  InvalidParams: 'invalid_request',
  InternalError: 'internal_error',
} as const satisfies Record<A2aErrorName, ErrorCode>;

/** One of several faults of a request: the path of a member, and what it must be. */
export interface FieldFault {
  param: string;
  message: string;
}

/** A refusal that has a word in A2A. `faults` where there are several; `param` is the first one's. */
export function refusal(
  name: A2aErrorName,
  message: string,
  param?: string,
  faults: readonly FieldFault[] = [],
): ProtocolError {
  const several = faults.length > 1 ? { faults: faults.map((fault) => ({ ...fault })) } : {};
  const details = { a2a_error: name, ...several };
  return new ProtocolError(REFUSED_AS[name], message, param === undefined ? { details } : { details, param });
}

/** What is wrong with a request, member by member; empty for an error that names none. */
export function faultsOf({ param, message, details }: ProtocolError): FieldFault[] {
  const several = details?.['faults'];
  if (Array.isArray(several)) return several as unknown as FieldFault[];
  return param === undefined ? [] : [{ param, message }];
}

export interface EncodedError {
  /** JSON-RPC error code. */
  code: number;
  /** HTTP status of the HTTP+JSON binding. */
  http: number;
  /** Name of its `google.rpc.Code`. */
  status: string;
  message: string;
  /** `google.rpc` details: ErrorInfo, and BadRequest where fields are named. */
  details: JsonObject[];
}

/** Statuses that JSON-RPC answers with too: clients and proxies act on them. See mappings/README.md, Errors. */
const SAID_BY_HTTP: readonly number[] = [401, 403, 413, 429, 499, 503, 504];

/** How an error leaves: by its A2A name where it has one, else by its Harn code. */
export function encodeError(error: ProtocolError): EncodedError {
  const name = error.details?.['a2a_error'];
  const row: A2aErrorRow | undefined =
    typeof name === 'string' && Object.hasOwn(A2A_ERRORS, name)
      ? A2A_ERRORS[name as A2aErrorName]
      : undefined;
  const { code, http }: OutwardError = row ?? HARN_ERRORS[error.code];
  const standard = row ?? standardOf(code);
  return {
    code,
    http,
    status: standard?.status ?? STATUS_NAMES[http] ?? 'INTERNAL',
    message: error.message,
    details: [errorInfo(error, standard, row === undefined), ...badRequest(error)],
  };
}

/** The HTTP status of a JSON-RPC answer. */
export function rpcStatus({ http }: EncodedError): number {
  return SAID_BY_HTTP.includes(http) ? http : 200;
}

/** The error of A2A that a code is, if it is one: whoever sends the code says its reason too. Spec: A2A 1.0, 9.5. */
function standardOf(code: number): A2aErrorRow | undefined {
  const rows: readonly A2aErrorRow[] = Object.values(A2A_ERRORS);
  return rows.find((row) => row.code === code && row.reason !== undefined);
}

/** The reason is A2A's where it has one; `harn_code` then says which of several Harn errors it was. */
function errorInfo(error: ProtocolError, standard: A2aErrorRow | undefined, isHarns: boolean): JsonObject {
  const seconds = error.retryAfterSeconds;
  const metadata = {
    ...(standard?.reason !== undefined && isHarns ? { harn_code: error.code } : {}),
    ...(seconds === undefined ? {} : { retry_after_seconds: String(seconds) }),
  };
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: standard?.reason ?? error.code.toUpperCase(),
    domain: standard?.reason === undefined ? HARN_DOMAIN : A2A_DOMAIN,
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

function badRequest(error: ProtocolError): JsonObject[] {
  const faults = faultsOf(error);
  if (faults.length === 0) return [];
  const fieldViolations = faults.map(({ param, message }) => ({ field: param, description: message }));
  return [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }];
}

/** Names of `google.rpc.Code` by HTTP status. */
const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  413: 'RESOURCE_EXHAUSTED',
  415: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** Numbers of `google.rpc.Code` by name. */
const GRPC_CODES: Readonly<Record<string, number>> = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
};
const GRPC_INTERNAL = 13;

/** The status of a call over gRPC that was answered with an error. Spec: A2A 1.0, 5.4 and 10.6. */
export function grpcCode({ status }: EncodedError): number {
  return GRPC_CODES[status] ?? GRPC_INTERNAL;
}

/** The same in 0.3, where it is the error of JSON-RPC. Spec: A2A 0.3, 8. */
export function legacyRestErrorBody({ code, message, details }: EncodedError): JsonObject {
  return { code, message, data: details };
}

/** The body of an error answer of the HTTP+JSON binding. Spec: A2A 1.0, 11.6. */
export function restErrorBody({ http, status, message, details }: EncodedError): JsonObject {
  return { error: { code: http, status, message, details } };
}
