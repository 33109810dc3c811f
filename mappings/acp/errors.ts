import type { ErrorCode } from '#protocol/errors.ts';

/** JSON-RPC codes of ACP v1. Spec: ACP v1, "Error", and JSON-RPC 2.0. */
export const ACP_ERRORS = {
  parse_error: -32700,
  invalid_request: -32600,
  method_not_found: -32601,
  invalid_params: -32602,
  internal_error: -32603,
  auth_required: -32000,
  resource_not_found: -32002,
  request_cancelled: -32800,
} as const satisfies Record<string, number>;
export type AcpErrorName = keyof typeof ACP_ERRORS;

/** The name of a code; undefined for every other number. */
export function acpErrorName(code: number): AcpErrorName | undefined {
  return (Object.keys(ACP_ERRORS) as AcpErrorName[]).find((name) => ACP_ERRORS[name] === code);
}

/**
 * How a refusal of the gateway leaves. The code of authentication opens a login screen, so nothing else has it; the Harn
 * code stands in `data.harn`. See mappings/README.md, Errors.
 */
export const ERROR_OF_CODE = {
  invalid_request: 'invalid_params',
  invalid_state_transition: 'invalid_params',
  unauthenticated: 'auth_required',
  permission_denied: 'internal_error',
  resource_not_found: 'resource_not_found',
  conflict: 'internal_error',
  idempotency_key_reused: 'invalid_params',
  cursor_expired: 'resource_not_found',
  payload_too_large: 'invalid_params',
  policy_violation: 'internal_error',
  resource_locked: 'internal_error',
  unsupported_protocol_version: 'invalid_params',
  rate_limited: 'internal_error',
  client_closed_request: 'request_cancelled',
  internal_error: 'internal_error',
  upstream_unavailable: 'internal_error',
  service_unavailable: 'internal_error',
  deadline_exceeded: 'internal_error',
} as const satisfies Record<ErrorCode, AcpErrorName>;

export function codeOfError(code: ErrorCode): number {
  return ACP_ERRORS[ERROR_OF_CODE[code]];
}
