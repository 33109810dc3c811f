import type { ErrorCode, ErrorType } from '#protocol/errors.ts';

/** JSON-RPC error codes of MCP. Spec: MCP 2025-11-25 and 2026-07-28, "Errors". */
export const MCP_ERRORS = {
  parse_error: -32700,
  invalid_request: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
  internal_error: -32603,
  connection_closed: -32000,
  request_timeout: -32001,
  resource_not_found: -32002,
  header_mismatch: -32020,
  missing_capability: -32021,
  unsupported_version: -32022,
  url_elicitation_required: -32042,
  sampling_rejected: -1,
} as const;
export type McpErrorName = keyof typeof MCP_ERRORS;

/** Why a Task fails when a server answers so. Input was checked before it was sent, so a refusal is the server's fault. */
export interface FailureRow {
  readonly code: string;
  readonly type: ErrorType;
  readonly loses?: string;
}

const UNAVAILABLE = { code: 'upstream_unavailable', type: 'upstream_error' } as const;

export const FAILURE_OF_ERROR = {
  parse_error: UNAVAILABLE,
  invalid_request: UNAVAILABLE,
  method_not_found: { code: 'unsupported', type: 'upstream_error' },
  invalid_params: { code: 'rejected', type: 'upstream_error' },
  internal_error: UNAVAILABLE,
  connection_closed: UNAVAILABLE,
  request_timeout: { code: 'deadline_exceeded', type: 'upstream_error' },
  resource_not_found: { code: 'rejected', type: 'upstream_error' },
  header_mismatch: UNAVAILABLE,
  missing_capability: {
    code: 'unsupported',
    type: 'upstream_error',
    loses: 'which capability: that is a matter between gateway and server',
  },
  unsupported_version: { code: 'unsupported', type: 'upstream_error' },
  url_elicitation_required: { code: 'auth_required', type: 'upstream_error' },
  sampling_rejected: UNAVAILABLE,
} as const satisfies Record<McpErrorName, FailureRow>;

/** The failure of a JSON-RPC error; codes without a row are the server's own and mean that it failed. */
export function failureOfCode(code: number): FailureRow {
  const name = (Object.keys(MCP_ERRORS) as McpErrorName[]).find((word) => MCP_ERRORS[word] === code);
  return name === undefined ? UNAVAILABLE : FAILURE_OF_ERROR[name];
}

/** The JSON-RPC code a client of the gateway gets for an error of ours. */
export const CODE_OF_ERROR = {
  invalid_request: 'invalid_params',
  invalid_state_transition: 'invalid_params',
  unauthenticated: 'invalid_request',
  permission_denied: 'invalid_request',
  resource_not_found: 'invalid_params',
  conflict: 'invalid_params',
  idempotency_key_reused: 'invalid_params',
  cursor_expired: 'invalid_params',
  payload_too_large: 'invalid_params',
  policy_violation: 'invalid_request',
  resource_locked: 'internal_error',
  unsupported_protocol_version: 'invalid_request',
  rate_limited: 'internal_error',
  client_closed_request: 'internal_error',
  internal_error: 'internal_error',
  upstream_unavailable: 'internal_error',
  service_unavailable: 'internal_error',
  deadline_exceeded: 'internal_error',
} as const satisfies Record<ErrorCode, McpErrorName>;

/** The JSON-RPC code of a Task that failed; a code without a row is a failure of the agent behind it. */
export function codeOfFailure(code: string | undefined): number {
  const known = code !== undefined && Object.hasOwn(CODE_OF_ERROR, code);
  return MCP_ERRORS[known ? CODE_OF_ERROR[code as ErrorCode] : 'internal_error'];
}
