import type { ErrorCode } from '#protocol/errors.ts';

export interface A2aErrorRow {
  readonly code: number;
  /** HTTP status of the HTTP+JSON binding. */
  readonly http: number;
  /** `google.rpc.ErrorInfo.reason`; absent for plain JSON-RPC errors. */
  readonly reason?: string;
  /** Name of its `google.rpc.Code`; absent: the usual one of the HTTP status. */
  readonly status?: 'FAILED_PRECONDITION';
  /** What it means in Harn words. */
  readonly harn: ErrorCode;
  readonly loses?: string;
}

const WHICH = 'which rule of the agent refused: kept in details.a2a_error';

/** Errors of an agent. Spec: A2A 1.0, 5.4; JSON-RPC 2.0, 5.1. See mappings/README.md, Errors. */
export const A2A_ERRORS = {
  TaskNotFound: { code: -32001, http: 404, reason: 'TASK_NOT_FOUND', harn: 'resource_not_found' },
  TaskNotCancelable: {
    code: -32002,
    http: 400,
    reason: 'TASK_NOT_CANCELABLE',
    status: 'FAILED_PRECONDITION',
    harn: 'invalid_state_transition',
  },
  PushNotificationNotSupported: {
    code: -32003,
    http: 400,
    reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
    status: 'FAILED_PRECONDITION',
    harn: 'policy_violation',
    loses: WHICH,
  },
  UnsupportedOperation: {
    code: -32004,
    http: 400,
    reason: 'UNSUPPORTED_OPERATION',
    status: 'FAILED_PRECONDITION',
    harn: 'policy_violation',
    loses: WHICH,
  },
  ContentTypeNotSupported: {
    code: -32005,
    http: 400,
    reason: 'CONTENT_TYPE_NOT_SUPPORTED',
    harn: 'invalid_request',
    loses: WHICH,
  },
  InvalidAgentResponse: {
    code: -32006,
    http: 500,
    reason: 'INVALID_AGENT_RESPONSE',
    harn: 'upstream_unavailable',
  },
  ExtendedAgentCardNotConfigured: {
    code: -32007,
    http: 400,
    reason: 'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
    status: 'FAILED_PRECONDITION',
    harn: 'policy_violation',
    loses: WHICH,
  },
  ExtensionSupportRequired: {
    code: -32008,
    http: 400,
    reason: 'EXTENSION_SUPPORT_REQUIRED',
    status: 'FAILED_PRECONDITION',
    harn: 'policy_violation',
    loses: WHICH,
  },
  VersionNotSupported: {
    code: -32009,
    http: 400,
    reason: 'VERSION_NOT_SUPPORTED',
    status: 'FAILED_PRECONDITION',
    harn: 'upstream_unavailable',
    loses: WHICH,
  },
  ParseError: { code: -32700, http: 400, harn: 'upstream_unavailable', loses: WHICH },
  InvalidRequest: { code: -32600, http: 400, harn: 'invalid_request', loses: WHICH },
  MethodNotFound: { code: -32601, http: 404, harn: 'upstream_unavailable', loses: WHICH },
  InvalidParams: { code: -32602, http: 400, harn: 'invalid_request', loses: WHICH },
  InternalError: { code: -32603, http: 500, harn: 'upstream_unavailable', loses: WHICH },
} as const satisfies Record<string, A2aErrorRow>;

export type A2aErrorName = keyof typeof A2A_ERRORS;

/** What arrived, whichever binding said it; members that were absent are undefined. */
export interface ErrorFacts {
  code?: number | undefined;
  reason?: string | undefined;
  httpStatus?: number | undefined;
  /** Name of the class of an error, as peers of 0.3 send it: the name here and `Error`. */
  className?: string | undefined;
}

export type FoundError = { known: true; name: A2aErrorName; row: A2aErrorRow } | { known: false };

/** Looks up by ErrorInfo reason first (HTTP+JSON shares statuses), then by JSON-RPC code, then by the name of the class. */
export function findError(facts: ErrorFacts): FoundError {
  const rows = Object.entries(A2A_ERRORS) as [A2aErrorName, A2aErrorRow][];
  const hit =
    rows.find(([, row]) => facts.reason !== undefined && row.reason === facts.reason) ??
    rows.find(([, row]) => row.code === facts.code) ??
    rows.find(([name]) => facts.className === `${name}Error`);
  return hit === undefined ? { known: false } : { known: true, name: hit[0], row: hit[1] };
}

/** Harn code of a plain HTTP status of an agent. It came without an error of A2A. */
export function harnCodeOfHttp(status: number): ErrorCode {
  if (status === 404 || status === 410) return 'resource_not_found';
  if (status === 413) return 'payload_too_large';
  if (status === 429) return 'rate_limited';
  if (status === 504 || status === 408) return 'deadline_exceeded';
  return status >= 400 && status < 500 ? 'invalid_request' : 'upstream_unavailable';
}

/** What a status of gRPC says that comes without details, by its number: its name, and the JSON-RPC error it stands for. */
const GRPC_STATUSES: Readonly<Record<number, { name: string; rpc: number }>> = {
  3: { name: 'INVALID_ARGUMENT', rpc: -32602 },
  5: { name: 'NOT_FOUND', rpc: -32001 },
  9: { name: 'FAILED_PRECONDITION', rpc: -32004 },
  12: { name: 'UNIMPLEMENTED', rpc: -32601 },
};
const GRPC_OTHER = { name: 'INTERNAL', rpc: -32603 };

export function grpcStatusName(code: number): string {
  return (GRPC_STATUSES[code] ?? GRPC_OTHER).name;
}

export function rpcCodeOfGrpc(code: number): number {
  return (GRPC_STATUSES[code] ?? GRPC_OTHER).rpc;
}

export interface OutwardError {
  /** JSON-RPC error code. */
  readonly code: number;
  readonly http: number;
  readonly loses?: string;
}

const AS_HTTP = 'the code over JSON-RPC: kept in ErrorInfo, as reason or as metadata.harn_code';

/** How a Harn error is written for a client of A2A. See mappings/README.md, Errors. */
export const HARN_ERRORS = {
  invalid_request: { code: -32602, http: 400 },
  invalid_state_transition: {
    code: -32004,
    http: 400,
    loses: 'that the state forbids it; -32002 when canceling',
  },
  unauthenticated: { code: -32603, http: 401, loses: AS_HTTP },
  permission_denied: { code: -32603, http: 403, loses: AS_HTTP },
  resource_not_found: { code: -32001, http: 404 },
  conflict: { code: -32602, http: 400, loses: AS_HTTP },
  idempotency_key_reused: { code: -32602, http: 400, loses: AS_HTTP },
  cursor_expired: { code: -32602, http: 400, loses: AS_HTTP },
  payload_too_large: { code: -32603, http: 413, loses: AS_HTTP },
  policy_violation: { code: -32004, http: 400, loses: AS_HTTP },
  resource_locked: { code: -32603, http: 503, loses: AS_HTTP },
  unsupported_protocol_version: { code: -32009, http: 400 },
  rate_limited: { code: -32603, http: 429, loses: AS_HTTP },
  client_closed_request: { code: -32603, http: 499, loses: AS_HTTP },
  internal_error: { code: -32603, http: 500 },
  upstream_unavailable: { code: -32006, http: 500 },
  service_unavailable: { code: -32603, http: 503, loses: AS_HTTP },
  deadline_exceeded: { code: -32603, http: 504, loses: AS_HTTP },
} as const satisfies Record<ErrorCode, OutwardError>;
