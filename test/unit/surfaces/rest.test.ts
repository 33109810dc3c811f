import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProtocolError } from '#protocol/errors.ts';
import { challenge } from '../../harness/challenge.ts';
import { AUTH, envelopeOf, startSurface, type UnderTest } from './surface-under-test.ts';

let under: UnderTest;
beforeEach(async () => {
  under = await startSurface();
});
afterEach(async () => {
  await under.close();
});

const post = (path: string, body: string | null, headers: Record<string, string> = {}) =>
  fetch(`${under.url}${path}`, {
    method: 'POST',
    headers: { ...AUTH, 'Content-Type': 'application/json', ...headers },
    body,
  });

describe('a request becomes a Call', () => {
  it('carries path, query, headers and body to the gateway, unchecked', async () => {
    await post('/v1/sessions/session_1/tasks', '{"input":{"a":[1,null]}}', {
      'Idempotency-Key': 'k1',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    const [asked] = under.gateway.calls;
    expect(asked?.id).toBe('submitSessionTask');
    expect(asked?.call).toMatchObject({
      caller: { actor: 'actor_test' },
      path: { session_id: 'session_1' },
      body: { input: { a: [1, null] } },
      idempotencyKey: 'k1',
      lastEventId: undefined,
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    });
    expect(under.gateway.entries).toEqual([
      { authorization: 'Bearer test', version: 'agents-protocol-2026-04-25' },
    ]);
    expect(asked?.call.requestId).toMatch(/^req_/);
    expect(asked?.call.signal.aborted).toBe(false);
  });

  it('decodes query values and path parameters once', async () => {
    await fetch(`${under.url}/v1/tasks?limit=2&cursor=a%2Bb%20c&session_id=x+y`, { headers: AUTH });
    await fetch(`${under.url}/v1/tasks/task_%2541`, { headers: AUTH });
    expect(under.gateway.calls[0]?.call.query).toEqual({ limit: '2', cursor: 'a+b c', session_id: 'x y' });
    expect(under.gateway.calls[1]?.call.path).toEqual({ task_id: 'task_%41' });
  });

  it('refuses a single-valued parameter that comes twice, and leaves unknown ones alone', async () => {
    const refused = await fetch(`${under.url}/v1/tasks?limit=1&limit=2`, { headers: AUTH });
    expect(refused.status).toBe(400);
    expect(await envelopeOf(refused)).toMatchObject({ code: 'invalid_request', param: 'limit' });
    expect((await fetch(`${under.url}/v1/tasks?zz=1&zz=2`, { headers: AUTH })).status).toBe(200);
  });

  it('leaves a missing version and missing credentials to the gateway', async () => {
    const response = await fetch(`${under.url}/v1/tasks`);
    expect(response.status).toBe(401);
    expect(under.gateway.entries).toEqual([{ authorization: undefined, version: undefined }]);
  });

  it('takes an optional body left out as undefined', async () => {
    const response = await fetch(`${under.url}/v1/tasks/task_1/cancel`, { method: 'POST', headers: AUTH });
    expect(response.status).toBe(200);
    expect(under.gateway.calls[0]?.call.body).toBeUndefined();
  });

  it('takes raw bytes with their media type on an upload', async () => {
    await fetch(`${under.url}/v1/artifacts/artifact_1/content`, {
      method: 'PUT',
      headers: { ...AUTH, 'Content-Type': 'image/png' },
      body: new Uint8Array([1, 2, 3]),
    });
    expect(under.gateway.calls[0]?.call.body).toEqual({
      bytes: Buffer.from([1, 2, 3]),
      mimeType: 'image/png',
    });
  });
});

describe('an Answer becomes a response', () => {
  it('sends stored JSON byte for byte', async () => {
    under.gateway.answer = () => ({
      status: 200,
      body: {
        kind: 'raw_json',
        chunks: [Buffer.from('{"data":['), Buffer.from('{"b":1, "a":1.0}'), Buffer.from(']}')],
      },
    });
    const response = await fetch(`${under.url}/v1/events`, { headers: AUTH });
    expect(await response.text()).toBe('{"data":[{"b":1, "a":1.0}]}');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('sends bytes as a download that no browser sniffs or runs', async () => {
    async function* chunks() {
      yield Buffer.from('<script>');
      yield Buffer.from('</script>');
    }
    under.gateway.answer = () => ({
      status: 200,
      body: {
        kind: 'bytes',
        mimeType: 'text/html',
        size: 17,
        fileName: 'a"\r\nX: 1/ä.html',
        chunks: chunks(),
      },
    });
    const response = await fetch(`${under.url}/v1/artifacts/artifact_1/content`, { headers: AUTH });
    expect(await response.text()).toBe('<script></script>');
    expect(response.headers.get('content-type')).toBe('text/html');
    expect(response.headers.get('content-length')).toBe('17');
    expect(response.headers.get('content-disposition')).toBe(
      `attachment; filename="a___X__1__.html"; filename*=UTF-8''a%22%0D%0AX%3A%201%2F%C3%A4.html`,
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('replaces a media type that is none, so that it cannot carry a header', async () => {
    async function* none() {}
    under.gateway.answer = () => ({
      status: 200,
      body: { kind: 'bytes', mimeType: 'text/plain\r\nX-Evil: 1', size: 0, fileName: '', chunks: none() },
    });
    const response = await fetch(`${under.url}/v1/artifacts/artifact_1/content`, { headers: AUTH });
    expect(response.headers.get('content-type')).toBe('application/octet-stream');
    expect(response.headers.get('x-evil')).toBeNull();
  });

  it('cuts the connection when the bytes end in an error, so that a part never passes for the whole', async () => {
    async function* broken() {
      yield Buffer.from('part');
      throw new Error('disk');
    }
    under.gateway.answer = () => ({
      status: 200,
      body: { kind: 'bytes', mimeType: 'text/plain', size: 9, fileName: 'x', chunks: broken() },
    });
    // The head may be lost with the connection.
    const whole = fetch(`${under.url}/v1/artifacts/artifact_1/content`, { headers: AUTH }).then((response) =>
      response.text(),
    );
    await expect(whole).rejects.toThrow();
  });

  it('ends what makes the bytes when nobody reads them', async () => {
    const ended = new Promise<string>((resolve) => {
      async function* chunks() {
        try {
          for (;;) yield Buffer.alloc(64 * 1024);
        } finally {
          resolve('ended');
        }
      }
      under.gateway.answer = () => ({
        status: 200,
        body: { kind: 'bytes', mimeType: 'text/plain', size: undefined, fileName: 'x', chunks: chunks() },
      });
    });
    await fetch(`${under.url}/v1/artifacts/artifact_1/content`, { method: 'HEAD', headers: AUTH });
    expect(await ended).toBe('ended');
  });

  it('ends what makes the bytes when the client leaves before the head', async () => {
    const leaving = new AbortController();
    const ended = new Promise<string>((resolve) => {
      async function* chunks() {
        try {
          leaving.abort();
          for (;;) {
            yield Buffer.alloc(4 * 1024);
            await new Promise((next) => setTimeout(next, 1));
          }
        } finally {
          resolve('ended');
        }
      }
      under.gateway.answer = () => ({ status: 200, body: { kind: 'json_stream', chunks: chunks() } });
    });
    const left = fetch(`${under.url}/v1/tasks`, { headers: AUTH, signal: leaving.signal });
    await expect(left).rejects.toThrow();
    expect(await ended).toBe('ended');
  });

  it('sends 204 without a body and says when a stored answer was given again', async () => {
    under.gateway.answer = () => ({ status: 204, body: { kind: 'none' }, repeated: true });
    const response = await post('/v1/sessions/session_1/close', null);
    expect(response.status).toBe(204);
    expect(await response.text()).toBe('');
    expect(response.headers.get('idempotency-replayed')).toBe('true');
  });
});

describe('errors', () => {
  it('answers 401 with a challenge and the envelope', async () => {
    const response = await fetch(`${under.url}/v1/tasks`);
    expect(response.headers.get('www-authenticate')).toBe(challenge(under.url));
    const error = await envelopeOf(response);
    expect(error).toMatchObject({ code: 'unauthenticated', type: 'auth_error', param: null, details: {} });
    expect(error.request_id).toBe(response.headers.get('x-request-id'));
  });

  it.each([
    ['rate_limited', 429, 7, '7'],
    ['service_unavailable', 503, undefined, '1'],
  ] as const)('answers %s with Retry-After', async (code, status, seconds, expected) => {
    under.gateway.answer = () => {
      throw new ProtocolError(code, 'Wait.', seconds === undefined ? {} : { retryAfterSeconds: seconds });
    };
    const response = await fetch(`${under.url}/v1/tasks`, { headers: AUTH });
    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe(expected);
  });

  it('hides the cause of an unexpected failure from the caller and keeps it in the log', async () => {
    under.gateway.answer = () => {
      throw new Error('secret path /var/lib');
    };
    const response = await fetch(`${under.url}/v1/tasks`, { headers: AUTH });
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).not.toContain('/var/lib');
    expect(text).toContain('"internal_error"');
    const line = under.log.find((entry) => entry.level === 'error');
    expect(line?.fields['err']).toMatchObject({ message: 'secret path /var/lib' });
    expect(line?.fields['request_id']).toBe(response.headers.get('x-request-id'));
  });

  it('answers an unknown path with 404 and the envelope', async () => {
    for (const path of ['/v2', '/v1/nothing', '/v1/tasks/', '/V1/tasks', '/v1/tasks/a/b']) {
      const response = await fetch(`${under.url}${path}`, { headers: AUTH });
      expect([path, response.status]).toEqual([path, 404]);
      expect((await envelopeOf(response)).code).toBe('resource_not_found');
      expect(response.headers.get('allow')).toBeNull();
    }
  });

  it('answers another method of a known path with 404 and Allow', async () => {
    for (const method of ['DELETE', 'OPTIONS', 'PROPFIND']) {
      const response = await fetch(`${under.url}/v1/tasks`, { method, headers: AUTH });
      expect([method, response.status, response.headers.get('allow')]).toEqual([
        method,
        404,
        'GET, HEAD, POST',
      ]);
      expect((await envelopeOf(response)).code).toBe('resource_not_found');
    }
    expect(under.gateway.calls).toEqual([]);
  });
});

describe('what is logged', () => {
  it('is the request id, method, route pattern, status and time, without headers and bodies', async () => {
    const response = await post('/v1/sessions/session_1/tasks?limit=canary', '{"canary":1}', {
      'X-Canary': 'canary',
    });
    await response.text();
    const lines = under.log.filter((entry) => entry.message === 'request');
    expect(lines).toEqual([
      {
        level: 'info',
        message: 'request',
        fields: {
          request_id: response.headers.get('x-request-id'),
          method: 'POST',
          route: '/v1/sessions/{session_id}/tasks',
          status: 200,
          duration_ms: 0,
        },
      },
    ]);
    expect(JSON.stringify(under.log)).not.toContain('canary');
  });
});
