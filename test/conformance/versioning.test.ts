import { describe, expect, it } from 'vitest';
import { OPERATIONS, type OperationRow } from '#resources/operations.ts';
import { challenge } from '../harness/challenge.ts';
import { userText } from '../harness/client.ts';
import { stageOf } from './stage.ts';

const VERSION = 'Harn-Agents-Protocol-Version';
const CURRENT = 'agents-protocol-2026-04-25';
const PUBLIC = ['/health', '/ready', '/version', '/openapi.json', '/asyncapi.json', '/v1', '/v1/agent-card'];
const NOBODY = { authorization: undefined, [VERSION]: undefined };

describe('versions and the order of refusals', () => {
  const stage = stageOf({ keys: [{ actor: 'reader', scopes: ['sessions:read'] }] });
  const guarded = Object.entries<OperationRow>(OPERATIONS)
    .filter(([, { scope }]) => scope !== 'public' && scope !== 'signature')
    .map(([id, { method, path }]) => ({ id, method, path: path.replace(/\{\w+\}/g, 'session_absent') }));

  it.each(PUBLIC)('[C22] [CORE-VER-01] %s needs neither key nor version', async (path) => {
    const answer = await stage.client.call('GET', path, { headers: NOBODY });
    expect(answer.status).toBe(200);
  });

  it.each(guarded)(
    '[CORE-VER-01] [CORE-VER-02] $id is refused without the version header',
    async ({ method, path }) => {
      const answer = await stage.client.call(method, path, { headers: { [VERSION]: undefined } });
      expect(answer.status).toBe(426);
      expect(answer.body).toMatchObject({
        error: { code: 'unsupported_protocol_version', type: 'request_error' },
      });
    },
  );

  it('[CORE-VER-02] [CORE-VER-03] an unknown version is refused and the spoken ones are listed', async () => {
    for (const version of ['agents-protocol-1999-01-01', 'v1', `${CURRENT}, ${CURRENT}`, '']) {
      const answer = await stage.client.call('GET', '/v1/sessions', { headers: { [VERSION]: version } });
      expect(answer.status).toBe(426);
      expect(answer.body).toMatchObject({
        error: { details: { supported_versions: [CURRENT, 'agents-protocol-2026-10-11'] } },
      });
    }
  });

  it.each(guarded)('[C22] $id says 401 before it says 426', async ({ method, path }) => {
    const answer = await stage.client.call(method, path, { headers: NOBODY });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe(challenge(stage.gateway.url));
    expect(answer.body).toMatchObject({ error: { code: 'unauthenticated', type: 'auth_error' } });
  });

  it('[C22] 426 comes before 403 and 404, 403 before 404 and 400', async () => {
    const reader = stage.as('reader');
    const unversioned = { headers: { [VERSION]: undefined } };
    expect((await reader.call('GET', '/v1/tasks/task_absent', unversioned)).status).toBe(426);
    expect((await reader.call('GET', '/v1/sessions/session_absent', unversioned)).status).toBe(426);
    expect((await reader.call('GET', '/v1/tasks/task_absent')).status).toBe(403);
    expect((await reader.call('POST', '/v1/sessions', { body: { wrong: true } })).status).toBe(403);
    expect((await reader.call('GET', '/v1/sessions/session_absent')).status).toBe(404);
  });

  it('[CORE-VER-04] members a request does not define are ignored', async () => {
    const session = await stage.client.post<{ id: string }>('/v1/sessions', {
      workspace_id: 'workspace_default',
      from_the_future: { any: 'thing' },
    });
    const message = { ...userText('hi'), from_the_future: 1 };
    const task = await stage.client.call('POST', `/v1/sessions/${session.id}/tasks`, {
      body: { input: message, shiny: true },
    });
    expect(task.status).toBe(202);
    expect(task.text).not.toContain('from_the_future');
  });
});
