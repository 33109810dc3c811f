import type { JsonObject } from './json.ts';

/** One row per error code. Source: Agents Protocol v1, "Error taxonomy"; `type` is its family, see README.md, Errors. */
export const ERROR_CODES = {
  invalid_request: { status: 400, type: 'request_error' },
  invalid_state_transition: { status: 400, type: 'request_error' },
  unauthenticated: { status: 401, type: 'auth_error' },
  permission_denied: { status: 403, type: 'permission_error' },
  resource_not_found: { status: 404, type: 'not_found_error' },
  conflict: { status: 409, type: 'conflict_error' },
  idempotency_key_reused: { status: 409, type: 'conflict_error' },
  cursor_expired: { status: 410, type: 'not_found_error' },
  payload_too_large: { status: 413, type: 'request_error' },
  policy_violation: { status: 422, type: 'permission_error' },
  resource_locked: { status: 423, type: 'conflict_error' },
  unsupported_protocol_version: { status: 426, type: 'request_error' },
  rate_limited: { status: 429, type: 'rate_limit_error' },
  client_closed_request: { status: 499, type: 'request_error' },
  internal_error: { status: 500, type: 'server_error' },
  upstream_unavailable: { status: 502, type: 'upstream_error' },
  service_unavailable: { status: 503, type: 'server_error' },
  deadline_exceeded: { status: 504, type: 'upstream_error' },
} as const satisfies Record<string, { status: number; type: ErrorType }>;

export type ErrorCode = keyof typeof ERROR_CODES;

export const ERROR_TYPES = [
  'request_error',
  'auth_error',
  'permission_error',
  'not_found_error',
  'conflict_error',
  'rate_limit_error',
  'runtime_error',
  'upstream_error',
  'server_error',
] as const;
export type ErrorType = (typeof ERROR_TYPES)[number];

export interface ErrorFacts {
  /** JSON path of the bad field, or the name of the header, parameter or file. */
  param?: string;
  /** Public facts that help the caller act; never a secret, never a hidden name. */
  details?: JsonObject;
  /** The private reason, for the log only. */
  cause?: unknown;
  /** Seconds after which a retry makes sense; sent as `Retry-After`. */
  retryAfterSeconds?: number;
  /** Why a credential was refused; sent in `WWW-Authenticate`. */
  challenge?: Challenge;
}

/** What the sender of a refused credential learns besides the error. Spec: RFC 6750, section 3; RFC 9449, section 7.1. */
export interface Challenge {
  /** The scheme it came in. */
  scheme: 'Bearer' | 'DPoP';
  error: 'invalid_token' | 'invalid_dpop_proof';
  /** Printable ASCII without quotes and backslashes. */
  description: string;
  /** The reason in one word, for the log. */
  reason: string;
}

/** Longest name of a caller's own that an error repeats, in UTF-16 units: it is to be found, not copied. */
const MAX_SHOWN_LENGTH = 200;

/** A name of the caller's own, such as the key of an override, as errors show it: of a longer one the head. */
export function shownName(name: string): string {
  if (name.length <= MAX_SHOWN_LENGTH) return name;
  return `${name.slice(0, MAX_SHOWN_LENGTH).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * The one error of the gateway. The message is public and says what the caller does next; `cause` is private.
 * A code decides status and type by the table above.
 */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code: ErrorCode;
  readonly param: string | undefined;
  readonly details: JsonObject | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly challenge: Challenge | undefined;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.param = facts.param;
    this.details = facts.details;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.challenge = facts.challenge;
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }

  /** The body of an error answer. Source: Agents Protocol v1, "Error taxonomy". */
  toBody(requestId: string): { error: JsonObject } {
    return {
      error: {
        code: this.code,
        message: this.message,
        type: ERROR_CODES[this.code].type,
        param: this.param ?? null,
        request_id: requestId,
        details: this.details ?? {},
      },
    };
  }

  /** A ProtocolError stays itself; anything else is an internal error whose cause is kept private. */
  static from(error: unknown): ProtocolError {
    if (error instanceof ProtocolError) return error;
    return new ProtocolError(
      'internal_error',
      'The gateway failed unexpectedly. Retry; quote the request id when it persists.',
      {
        cause: error,
      },
    );
  }
}
