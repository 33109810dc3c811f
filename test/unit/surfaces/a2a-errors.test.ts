import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERROR_CODES, type ErrorCode, ProtocolError } from '#protocol/errors.ts';
import type { ServerDeps } from '#protocol-server.ts';
import { createA2aServer } from '../../../bridges/a2a/server/server.ts';
import { A2A_ERRORS, type A2aErrorName } from '../../../mappings/a2a/errors.ts';
import { refusal } from '../../../mappings/a2a/errors-out.ts';
import type { Json } from '../../harness/a2a-client.ts';
import { challenge } from '../../harness/challenge.ts';
import { startSurface, type UnderTest } from './surface-under-test.ts';

const PRECONDITION = 'FAILED_PRECONDITION';

// Copied by hand from A2A 1.0, 5.4 and JSON-RPC 2.0, 5.1: code; HTTP status, its name and the reason over HTTP+JSON.
const OF_A2A: Readonly<Record<A2aErrorName, readonly [number, number, string, string]>> = {
  TaskNotFound: [-32001, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'],
  TaskNotCancelable: [-32002, 400, PRECONDITION, 'TASK_NOT_CANCELABLE'],
  PushNotificationNotSupported: [-32003, 400, PRECONDITION, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
  UnsupportedOperation: [-32004, 400, PRECONDITION, 'UNSUPPORTED_OPERATION'],
  ContentTypeNotSupported: [-32005, 400, 'INVALID_ARGUMENT', 'CONTENT_TYPE_NOT_SUPPORTED'],
  InvalidAgentResponse: [-32006, 500, 'INTERNAL', 'INVALID_AGENT_RESPONSE'],
  ExtendedAgentCardNotConfigured: [-32007, 400, PRECONDITION, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'],
  ExtensionSupportRequired: [-32008, 400, PRECONDITION, 'EXTENSION_SUPPORT_REQUIRED'],
  VersionNotSupported: [-32009, 400, PRECONDITION, 'VERSION_NOT_SUPPORTED'],
  ParseError: [-32700, 400, 'INVALID_ARGUMENT', 'INVALID_REQUEST'],
  InvalidRequest: [-32600, 400, 'INVALID_ARGUMENT', 'INVALID_REQUEST'],
  MethodNotFound: [-32601, 404, 'NOT_FOUND', 'INVALID_REQUEST'],
  InvalidParams: [-32602, 400, 'INVALID_ARGUMENT', 'INVALID_REQUEST'],
  InternalError: [-32603, 500, 'INTERNAL', 'INTERNAL_ERROR'],
};

// Copied by hand, see mappings/README.md, Errors: code; HTTP status over HTTP+JSON, over JSON-RPC; reason.
const OF_HARN: Readonly<Record<ErrorCode, readonly [number, number, number, string]>> = {
  invalid_request: [-32602, 400, 200, 'INVALID_REQUEST'],
  invalid_state_transition: [-32004, 400, 200, 'UNSUPPORTED_OPERATION'],
  unauthenticated: [-32603, 401, 401, 'UNAUTHENTICATED'],
  permission_denied: [-32603, 403, 403, 'PERMISSION_DENIED'],
  resource_not_found: [-32001, 404, 200, 'TASK_NOT_FOUND'],
  conflict: [-32602, 400, 200, 'CONFLICT'],
  idempotency_key_reused: [-32602, 400, 200, 'IDEMPOTENCY_KEY_REUSED'],
  cursor_expired: [-32602, 400, 200, 'CURSOR_EXPIRED'],
  payload_too_large: [-32603, 413, 413, 'PAYLOAD_TOO_LARGE'],
  policy_violation: [-32004, 400, 200, 'UNSUPPORTED_OPERATION'],
  resource_locked: [-32603, 503, 503, 'RESOURCE_LOCKED'],
  unsupported_protocol_version: [-32009, 400, 200, 'VERSION_NOT_SUPPORTED'],
  rate_limited: [-32603, 429, 429, 'RATE_LIMITED'],
  client_closed_request: [-32603, 499, 499, 'CLIENT_CLOSED_REQUEST'],
  internal_error: [-32603, 500, 200, 'INTERNAL_ERROR'],
  upstream_unavailable: [-32006, 500, 200, 'INVALID_AGENT_RESPONSE'],
  service_unavailable: [-32603, 503, 503, 'SERVICE_UNAVAILABLE'],
  deadline_exceeded: [-32603, 504, 504, 'DEADLINE_EXCEEDED'],
};

const V10 = { 'a2a-version': '1.0' };
const MESSAGE = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }] };

let under: UnderTest;
let thrown: ProtocolError;
beforeAll(async () => {
  under = await startSurface({ createServers: () => [createA2aServer(depsOf())] });
  under.gateway.answer = () => {
    throw thrown;
  };
});
afterAll(() => under.close());

/** What the face uses before the gateway has refused. */
function depsOf(): ServerDeps {
  const gateway: Partial<ServerDeps['gateway']> = {
    admit: () => under.gateway.admit(),
    call: (id, call) => under.gateway.call(id, call),
  };
  const agent = { id: 'shop', route: 'a2a:shop', isDefault: true, description: undefined };
  return { gateway, agents: () => [agent] } as unknown as ServerDeps;
}

interface Refusal {
  status: number;
  headers: Headers;
  error: Json['error'] & { message: string; status: string; data: Detail[]; details: Detail[] };
}
type Detail = { reason?: string; domain?: string; metadata?: object };

async function asked(method: string, path: string, headers: object, body?: object): Promise<Refusal> {
  const answer = await fetch(`${under.url}/a2a/shop${path}`, {
    method,
    headers: { authorization: 'Bearer x', 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { error } = (await answer.json()) as Pick<Refusal, 'error'>;
  return { status: answer.status, headers: answer.headers, error };
}

/** The same refusal by every method that reads or sends, over every binding. */
async function everyWay(error: ProtocolError) {
  thrown = error;
  const rpc = (method: string, params: object, headers: object) =>
    asked('POST', '', headers, { jsonrpc: '2.0', id: 7, method, params });
  return {
    rpc: [
      await rpc('GetTask', { id: 't' }, V10),
      await rpc('SendMessage', { message: MESSAGE }, V10),
      await rpc('SendStreamingMessage', { message: MESSAGE }, V10),
      await rpc('tasks/get', { id: 't' }, {}),
    ],
    rest: [
      await asked('GET', '/tasks/t', V10),
      await asked('POST', '/message:send', V10, { message: MESSAGE }),
      await asked('POST', '/message:stream', V10, { message: MESSAGE }),
    ],
  };
}

/** A task that is not there is told in the same words whatever the reason. */
const wordsOf = (code: number) => (code === -32001 ? expect.any(String) : 'Why.');

describe('every error, over every binding', () => {
  it.each(Object.entries(OF_A2A))('[A2A-ERR-05] %s', async (name, [code, http, status, reason]) => {
    const { rpc, rest } = await everyWay(refusal(name as A2aErrorName, 'Why.', 'field'));
    for (const answer of rpc)
      expect([answer.status, answer.error]).toMatchObject([
        200,
        { code, message: wordsOf(code), data: [{ reason }, {}] },
      ]);
    for (const answer of rest) {
      const details = [
        { reason },
        { fieldViolations: [{ field: expect.any(String), description: wordsOf(code) }] },
      ];
      expect([answer.status, answer.error]).toMatchObject([
        http,
        { code: http, status, message: wordsOf(code), details },
      ]);
      expect(answer.headers.get('content-type')).toBe('application/a2a+json');
    }
  });

  it.each(Object.entries(OF_HARN))('[A2A-ERR-05] %s', async (harnCode, [code, http, overRpc, reason]) => {
    const { rpc, rest } = await everyWay(new ProtocolError(harnCode as ErrorCode, 'Why.'));
    const told = (error: Refusal['error'], [detail]: Detail[]) => [error.code, error.message, detail?.reason];
    for (const { status, error } of rpc)
      expect([status, ...told(error, error.data)]).toEqual([overRpc, code, wordsOf(code), reason]);
    for (const { status, error } of rest)
      expect([status, ...told(error, error.details)]).toEqual([http, http, wordsOf(code), reason]);
    const retries = ['rate_limited', 'service_unavailable'].includes(harnCode) ? '1' : null;
    for (const { headers } of [...rpc, ...rest]) {
      expect(headers.get('www-authenticate')).toBe(http === 401 ? challenge(under.url) : null);
      expect(headers.get('retry-after')).toBe(retries);
    }
  });

  it('is in these tables', () => {
    expect(Object.keys(OF_A2A).sort()).toEqual(Object.keys(A2A_ERRORS).sort());
    expect(Object.keys(OF_HARN).sort()).toEqual(Object.keys(ERROR_CODES).sort());
  });

  it('[A2A-ERR-03] has the reason and the domain of A2A where the code is of A2A, and tells the Harn code besides', async () => {
    const { rpc, rest } = await everyWay(new ProtocolError('policy_violation', 'Not so.'));
    const info = {
      reason: 'UNSUPPORTED_OPERATION',
      domain: 'a2a-protocol.org',
      metadata: { harn_code: 'policy_violation' },
    };
    expect(rpc.map(({ error }) => error.data[0])).toMatchObject([info, info, info, info]);
    expect(rest.map(({ error }) => error.details[0])).toMatchObject([info, info, info]);
    expect(rest[0]?.error.status).toBe(PRECONDITION);
  });

  it('keeps what an unforeseen failure was from the client', async () => {
    const { rpc, rest } = await everyWay(ProtocolError.from(new Error('secret-of-the-inside')));
    expect(JSON.stringify([rpc, rest])).not.toContain('secret-of-the-inside');
  });
});
