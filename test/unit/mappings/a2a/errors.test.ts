import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '#protocol/errors.ts';
import { A2A_ERRORS, findError, HARN_ERRORS, harnCodeOfHttp } from '../../../../mappings/a2a/errors.ts';

// Copied by hand from A2A 1.0, 5.4 (codes, HTTP status, reason); Harn codes: mappings/README.md, Errors.
const ROWS = [
  ['TaskNotFound', -32001, 404, 'TASK_NOT_FOUND', 'resource_not_found'],
  ['TaskNotCancelable', -32002, 400, 'TASK_NOT_CANCELABLE', 'invalid_state_transition'],
  ['PushNotificationNotSupported', -32003, 400, 'PUSH_NOTIFICATION_NOT_SUPPORTED', 'policy_violation'],
  ['UnsupportedOperation', -32004, 400, 'UNSUPPORTED_OPERATION', 'policy_violation'],
  ['ContentTypeNotSupported', -32005, 400, 'CONTENT_TYPE_NOT_SUPPORTED', 'invalid_request'],
  ['InvalidAgentResponse', -32006, 500, 'INVALID_AGENT_RESPONSE', 'upstream_unavailable'],
  ['ExtendedAgentCardNotConfigured', -32007, 400, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED', 'policy_violation'],
  ['ExtensionSupportRequired', -32008, 400, 'EXTENSION_SUPPORT_REQUIRED', 'policy_violation'],
  ['VersionNotSupported', -32009, 400, 'VERSION_NOT_SUPPORTED', 'upstream_unavailable'],
] as const;

const NOTHING = { code: undefined, reason: undefined, httpStatus: undefined };

describe('errors of an agent', () => {
  it.each(ROWS)('%s is %i, HTTP %i, %s and means %s', (name, code, http, reason, harn) => {
    expect(A2A_ERRORS[name]).toMatchObject({ code, http, reason, harn });
    expect(findError({ ...NOTHING, code })).toMatchObject({ known: true, name });
    expect(findError({ ...NOTHING, reason })).toMatchObject({ known: true, name });
  });

  it.each([
    [-32700, 'ParseError'],
    [-32600, 'InvalidRequest'],
    [-32601, 'MethodNotFound'],
    [-32602, 'InvalidParams'],
    [-32603, 'InternalError'],
  ])('knows the JSON-RPC error %i', (code, name) => {
    expect(findError({ ...NOTHING, code })).toMatchObject({ known: true, name });
  });

  it('does not know other codes, and no HTTP status alone names an A2A error', () => {
    expect(findError({ ...NOTHING, code: -31999 })).toEqual({ known: false });
    expect(findError({ ...NOTHING, httpStatus: 404 })).toEqual({ known: false });
  });

  it('come back as the same code, or their row or the way back says what is lost', () => {
    for (const row of Object.values(A2A_ERRORS)) {
      const back = HARN_ERRORS[row.harn];
      const isRoundTrip = back.code === row.code;
      expect(isRoundTrip || 'loses' in row || 'loses' in back, `${row.code}`).toBe(true);
    }
  });

  it('are told by HTTP status where there is nothing else', () => {
    expect([404, 410, 413, 429, 408, 504, 400, 422, 500, 503].map(harnCodeOfHttp)).toEqual([
      'resource_not_found',
      'resource_not_found',
      'payload_too_large',
      'rate_limited',
      'deadline_exceeded',
      'deadline_exceeded',
      'invalid_request',
      'invalid_request',
      'upstream_unavailable',
      'upstream_unavailable',
    ]);
  });
});

describe('errors of the gateway', () => {
  it('all have a row', () => {
    expect(Object.keys(HARN_ERRORS).sort()).toEqual(Object.keys(ERROR_CODES).sort());
  });

  it.each([
    ['resource_not_found', -32001, 404],
    ['unauthenticated', -32603, 401],
    ['invalid_request', -32602, 400],
    ['unsupported_protocol_version', -32009, 400],
    ['upstream_unavailable', -32006, 500],
    ['payload_too_large', -32603, 413],
    ['rate_limited', -32603, 429],
    ['service_unavailable', -32603, 503],
    ['deadline_exceeded', -32603, 504],
    ['internal_error', -32603, 500],
  ] as const)('%s leaves as %i, HTTP %i', (code, rpc, http) => {
    expect(HARN_ERRORS[code]).toMatchObject({ code: rpc, http });
  });
});
