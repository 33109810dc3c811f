import { ERROR_CODES, type ErrorCode } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { OperationRow } from '#resources/operations.ts';

/** When a call is refused with a code, in words for who wrote the client. */
const WHEN: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'a member, parameter or header is wrong; `param` names it',
  invalid_state_transition: 'the resource is in a state that does not allow it',
  unauthenticated: 'there is no credential, or one that does not hold',
  permission_denied: 'the credential may not do it',
  resource_not_found: 'there is no such resource, or none that the caller may see',
  conflict: 'the resource has ended, or somebody else changed it; read it again',
  idempotency_key_reused: 'the Idempotency-Key was used with another body; choose a new one',
  cursor_expired: 'Events after the cursor are gone, or it is none of this list; start over',
  payload_too_large: 'the body is larger than the gateway takes',
  policy_violation: 'a policy forbids it',
  resource_locked: 'the resource is leased, or fails its integrity check',
  unsupported_protocol_version:
    'the version header is missing, or names none that is spoken; `details.supported_versions` lists them',
  rate_limited: 'too much was asked for; try again after `Retry-After`',
  client_closed_request: 'the client left before the answer',
  internal_error: 'the gateway failed; try again, and quote the request id',
  upstream_unavailable: 'the agent could not be reached',
  service_unavailable: 'the gateway starts, drains or has its fill; try again after `Retry-After`',
  deadline_exceeded: 'the agent did not answer in time',
};

/** Nobody is there to read it. */
const UNREAD: ReadonlySet<ErrorCode> = new Set(['client_closed_request']);
const RESOURCE_READ: readonly ErrorCode[] = ['resource_not_found', 'resource_locked'];

/** Codes with which a call of an operation may be refused. */
function codesOf({ kind, method, scope, path, query, body }: OperationRow): ErrorCode[] {
  const isOpen = scope === 'public';
  const isKeyless = isOpen || scope === 'signature';
  const isRange = kind === 'stream' || 'after_event_id' in (query?.shape ?? {});
  return [
    'invalid_request',
    ...(isOpen ? [] : (['unauthenticated', 'permission_denied'] as const)),
    ...(isKeyless ? [] : (['unsupported_protocol_version'] as const)),
    ...(isOpen && !path.includes('{') ? [] : RESOURCE_READ),
    ...(isRange ? (['cursor_expired'] as const) : []),
    ...(body === undefined ? [] : (['payload_too_large'] as const)),
    // What is sent rather than read may meet a resource that does not allow it, whether or not the log keeps it.
    ...(method !== 'GET'
      ? ([
          'invalid_state_transition',
          'conflict',
          'idempotency_key_reused',
          'policy_violation',
          'upstream_unavailable',
          'deadline_exceeded',
        ] as const)
      : []),
    'rate_limited',
    'internal_error',
    'service_unavailable',
  ];
}

/** The refusals of an operation by status; each status is one component. */
export function refusalsOf(row: OperationRow): JsonObject {
  const statuses = new Set(codesOf(row).map((code) => ERROR_CODES[code].status));
  return Object.fromEntries(
    [...statuses].sort().map((status) => [status, { $ref: `#/components/responses/Refused${status}` }]),
  );
}

/** A component for each status of a refusal, with the codes that it may have. */
export function refusalResponses(headers: JsonObject, media: (schema: JsonObject) => JsonObject): JsonObject {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const [code, { status }] of Object.entries(ERROR_CODES)) {
    if (UNREAD.has(code as ErrorCode)) continue;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code as ErrorCode]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      `Refused${status}`,
      {
        description: codes.map((code) => `\`${code}\`: ${WHEN[code]}.`).join(' '),
        headers,
        content: {
          'application/json': media({
            allOf: [
              { $ref: '#/components/schemas/ErrorResponse' },
              {
                type: 'object',
                properties: {
                  error: {
                    type: 'object',
                    description: 'One of these.',
                    properties: { code: { enum: codes, description: 'The code.' } },
                  },
                },
              },
            ],
          }),
        },
      },
    ]),
  );
}
