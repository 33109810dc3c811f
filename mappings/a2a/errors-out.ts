import { type ErrorCode, ProtocolError } from '../../src/protocol/errors.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { A2A_ERRORS, type A2aErrorName, type A2aErrorRow, HARN_ERRORS, type OutwardError } from './errors.ts';

const A2A_DOMAIN = 'a2a-protocol.org';
/** Domain of reasons that A2A has no word for: the codes of the Harn Agents Protocol. */
const HARN_DOMAIN = 'harnlang.com';

/** The Harn code of a refusal by the face itself: it decides log, `WWW-Authenticate` and `Retry-After`. */
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

/** A refusal that has a word in A2A. */
export function refusal(name: A2aErrorName, message: string, param?: string): ProtocolError {
  const details = { a2a_error: name };
  return new ProtocolError(REFUSED_AS[name], message, param === undefined ? { details } : { details, param });
}

export interface EncodedError {
  /** JSON-RPC error code. */
  code: number;
  /** HTTP status of the HTTP+JSON binding. */
  http: number;
  /** Name of its `google.rpc.Code`. */
  status: string;
  message: string;
  /** `google.rpc` details: ErrorInfo, and BadRequest where a field is named. */
  details: JsonObject[];
}

/** Statuses that JSON-RPC answers with too: clients and proxies act on them. Source: notes/a2a.md 1.6. */
const SAID_BY_HTTP: readonly number[] = [401, 403, 413, 429, 499, 503, 504];

/** How an error leaves: by its A2A name where it has one, else by its Harn code. */
export function encodeError(error: ProtocolError): EncodedError {
  const name = error.details?.['a2a_error'];
  const row: A2aErrorRow | undefined =
    typeof name === 'string' && Object.hasOwn(A2A_ERRORS, name)
      ? A2A_ERRORS[name as A2aErrorName]
      : undefined;
  const { code, http }: OutwardError = row ?? HARN_ERRORS[error.code];
  const reason = row?.reason ?? reasonOf(error, row);
  return {
    code,
    http,
    status: row?.status ?? STATUS_NAMES[http] ?? 'INTERNAL',
    message: error.message,
    details: [errorInfo(reason, row?.reason ?? standardReason(error.code), error), ...badRequest(error)],
  };
}

/** The HTTP status of a JSON-RPC answer. */
export function rpcStatus({ http }: EncodedError): number {
  return SAID_BY_HTTP.includes(http) ? http : 200;
}

function reasonOf(error: ProtocolError, row: A2aErrorRow | undefined): string {
  return (row === undefined ? standardReason(error.code) : undefined) ?? error.code.toUpperCase();
}

/** Harn codes that say exactly what an A2A error says. */
function standardReason(code: ErrorCode): string | undefined {
  return code === 'resource_not_found' ? A2A_ERRORS.TaskNotFound.reason : undefined;
}

function errorInfo(reason: string, standard: string | undefined, error: ProtocolError): JsonObject {
  const seconds = error.retryAfterSeconds;
  return {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason,
    domain: standard === undefined ? HARN_DOMAIN : A2A_DOMAIN,
    ...(seconds === undefined ? {} : { metadata: { retry_after_seconds: String(seconds) } }),
  };
}

function badRequest({ param, message }: ProtocolError): JsonObject[] {
  if (param === undefined) return [];
  const fieldViolations = [{ field: param, description: message }];
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

/** The body of an error answer of the HTTP+JSON binding. Spec: A2A 1.0, 11.6. */
export function restErrorBody({ http, status, message, details }: EncodedError): JsonObject {
  return { error: { code: http, status, message, details } };
}
