import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '#protocol/errors.ts';
import type { TestAnswer } from '../harness/client.ts';
import { stageOf } from './stage.ts';

/** Status and type of every code, copied by hand from the narrative and from section 5 of the contract. */
const TABLE = {
  invalid_request: [400, 'request_error'],
  invalid_state_transition: [400, 'request_error'],
  unauthenticated: [401, 'auth_error'],
  permission_denied: [403, 'permission_error'],
  resource_not_found: [404, 'not_found_error'],
  conflict: [409, 'conflict_error'],
  idempotency_key_reused: [409, 'conflict_error'],
  cursor_expired: [410, 'not_found_error'],
  payload_too_large: [413, 'request_error'],
  policy_violation: [422, 'permission_error'],
  resource_locked: [423, 'conflict_error'],
  unsupported_protocol_version: [426, 'request_error'],
  rate_limited: [429, 'rate_limit_error'],
  client_closed_request: [499, 'request_error'],
  internal_error: [500, 'server_error'],
  upstream_unavailable: [502, 'upstream_error'],
  service_unavailable: [503, 'server_error'],
  deadline_exceeded: [504, 'upstream_error'],
} as const;

interface Envelope {
  error: {
    code: keyof typeof TABLE;
    message: string;
    type: string;
    param: string | null;
    request_id: string;
  };
}

const SESSION = { workspace_id: 'workspace_default' };
const json = (body: string) => ({ body, headers: { 'content-type': 'application/json' } });
const part = { type: 'text', text: 'hi', visibility: 'public' };

/** Bad requests: what is sent, and the code and param it is refused with. */
const REFUSALS: [
  why: string,
  method: string,
  path: string,
  sent: object,
  code: keyof typeof TABLE,
  param?: string,
][] = [
  ['a body that is no JSON', 'POST', '/v1/sessions', json('{"workspace_id":'), 'invalid_request'],
  ['a body with a member twice', 'POST', '/v1/sessions', json('{"a":1,"a":2}'), 'invalid_request', 'a'],
  ['a body with __proto__', 'POST', '/v1/sessions', json('{"__proto__":{}}'), 'invalid_request'],
  [
    'a body nested 65 deep',
    'POST',
    '/v1/sessions',
    json(`${'['.repeat(65)}${']'.repeat(65)}`),
    'invalid_request',
  ],
  ['no body', 'POST', '/v1/sessions', {}, 'invalid_request', 'body'],
  ['an array', 'POST', '/v1/sessions', { body: [] }, 'invalid_request', 'body'],
  ['a missing field', 'POST', '/v1/sessions', { body: {} }, 'invalid_request', 'workspace_id'],
  [
    'a field of another type',
    'POST',
    '/v1/sessions',
    { body: { workspace_id: 7 } },
    'invalid_request',
    'workspace_id',
  ],
  [
    'a wrong enum word deep inside',
    'POST',
    '/v1/sessions',
    {
      body: {
        ...SESSION,
        initial_messages: [{ role: 'user', parts: [part, { ...part, visibility: 'secret' }] }],
      },
    },
    'invalid_request',
    'initial_messages[0].parts[1].visibility',
  ],
  [
    'another content type',
    'POST',
    '/v1/sessions',
    { body: 'a=b', headers: { 'content-type': 'text/plain' } },
    'invalid_request',
    'Content-Type',
  ],
  ['a body on a read', 'DELETE', '/v1/sessions', {}, 'resource_not_found'],
  ['limit 0', 'GET', '/v1/sessions?limit=0', {}, 'invalid_request', 'limit'],
  ['limit 201', 'GET', '/v1/tasks?limit=201', {}, 'invalid_request', 'limit'],
  ['a limit in hexadecimal', 'GET', '/v1/tasks?limit=0x10', {}, 'invalid_request', 'limit'],
  ['a limit with an exponent', 'GET', '/v1/tasks?limit=1e2', {}, 'invalid_request', 'limit'],
  ['a limit behind a space', 'GET', '/v1/tasks?limit=%205', {}, 'invalid_request', 'limit'],
  ['no number at all', 'GET', '/v1/receipt-log/consistency?first=', {}, 'invalid_request', 'first'],
  [
    'a size beyond all numbers',
    'GET',
    '/v1/receipt-log/consistency?first=9007199254740993',
    {},
    'invalid_request',
    'first',
  ],
  ['a parameter twice', 'GET', '/v1/tasks?limit=1&limit=2', {}, 'invalid_request', 'limit'],
  ['a cursor of nobody', 'GET', '/v1/tasks?cursor=abc', {}, 'invalid_request', 'cursor'],
  [
    'a malformed event cursor',
    'GET',
    '/v1/events?after_event_id=abc',
    {},
    'invalid_request',
    'after_event_id',
  ],
  [
    'an event cursor of the future',
    'GET',
    `/v1/events?after_event_id=${'9'.repeat(10).padStart(20, '0')}`,
    {},
    'cursor_expired',
  ],
  ['an unknown path', 'GET', '/v1/nothing', {}, 'resource_not_found'],
  [
    'an unknown workspace',
    'POST',
    '/v1/sessions',
    { body: { workspace_id: 'workspace_no' } },
    'resource_not_found',
    'workspace_id',
  ],
  [
    'an empty idempotency key',
    'POST',
    '/v1/sessions',
    { body: SESSION, headers: { 'idempotency-key': '' } },
    'invalid_request',
    'Idempotency-Key',
  ],
  [
    'a long idempotency key',
    'POST',
    '/v1/sessions',
    { body: SESSION, headers: { 'idempotency-key': 'k'.repeat(256) } },
    'invalid_request',
    'Idempotency-Key',
  ],
  [
    'a body above the limit',
    'POST',
    '/v1/sessions',
    { body: { ...SESSION, metadata: { a: 'x'.repeat(70_000) } } },
    'payload_too_large',
  ],
];

describe('errors', () => {
  const stage = stageOf({ config: { limits: { max_body_bytes: 65_536, inline_payload_bytes: 16_384 } } });

  it('[CORE-ERR-02] [S5-01] the codes are those of the narrative, each with its status and type', () => {
    const ours = Object.entries(ERROR_CODES).map(([code, { status, type }]) => [code, [status, type]]);
    expect(Object.fromEntries(ours)).toEqual(TABLE);
  });

  it.each(REFUSALS)(
    '[CORE-ERR-01] [CORE-ERR-02] [S5-02] %s is refused',
    async (_why, method, path, sent, code, param) => {
      const answer = (await stage.client.call(method, path, sent)) as unknown as TestAnswer<Envelope>;
      const [status, type] = TABLE[code];
      expect(answer.status).toBe(status);
      expect(answer.body.error).toMatchObject({ code, type, ...(param === undefined ? {} : { param }) });
      expect(answer.body.error.message).toMatch(/\.$/);
      expect(answer.body.error.request_id).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
      expect(answer.headers.get('x-request-id')).toBe(answer.body.error.request_id);
    },
  );

  it('[S5-02] all faults of a request are told at once', async () => {
    const { body } = await stage.client.call('POST', '/v1/artifacts', {
      body: { kind: 'poem', visibility: 'odd' },
    });
    const faults = (body['error'] as { details: { faults: { param: string }[] } }).details.faults;
    expect(faults.map(({ param }) => param)).toEqual(['kind', 'mime_type', 'visibility']);
  });

  it('[C22] a caller without a valid key learns nothing about its body', async () => {
    const wrongKey = { authorization: 'Bearer harn_test_wrong' };
    const malformed = { body: '{', headers: { 'content-type': 'application/json', ...wrongKey } };
    expect((await stage.client.call('POST', '/v1/sessions', malformed)).status).toBe(401);
  });

  it('[C22] a body that cannot be read comes after 426', async () => {
    const headers = { 'content-type': 'application/json', 'Harn-Agents-Protocol-Version': undefined };
    expect((await stage.client.call('POST', '/v1/sessions', { body: '{', headers })).status).toBe(426);
  });

  it('[CORE-ERR-01] other methods of a known path are told which ones there are', async () => {
    const head = await stage.client.call('HEAD', `/v1/sessions/session_x/close`);
    expect([head.status, head.headers.get('allow')]).toEqual([404, 'POST']);
    const answer = await stage.client.call('DELETE', '/v1/sessions');
    expect(answer.status).toBe(404);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST');
  });
});
