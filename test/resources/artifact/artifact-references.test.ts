import { describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { stageOf } from '../../conformance/stage.ts';
import { userText } from '../../harness/client.ts';

const CONTENT = Buffer.from('the content of the artifact');

describe('references to artifacts', () => {
  const stage = stageOf({
    config: {
      tenants: [{ id: 'tenant_other' }],
      workspaces: [{ id: 'workspace_foreign', tenant: 'tenant_other' }],
    },
    keys: [{ actor: 'foreigner', tenant: 'tenant_other', workspaces: ['workspace_foreign'] }],
  });
  const artifactOf = async (actor: string) => {
    const client = stage.as(actor);
    const body = { kind: 'image', mime_type: 'image/png', visibility: 'public' };
    const { id } = await client.post<{ id: string }>('/v1/artifacts', body);
    await client.call('PUT', `/v1/artifacts/${id}/content`, { body: CONTENT });
    return id;
  };
  const messageWith = (artifact_id: string, type: string) => {
    const reference = {
      type,
      artifact_id,
      visibility: 'public',
      ...(type === 'image_ref' ? { mime_type: 'image/png' } : {}),
    };
    return { role: 'user', parts: [...userText('look').parts, reference] };
  };

  it.each(['artifact_ref', 'image_ref'])(
    '%s of an artifact of the same workspace reaches the agent with its bytes',
    async (type) => {
      const { id } = await stage.client.session();
      const input = messageWith(await artifactOf('actor_test'), type);
      const task = await stage.client.post<Task>(`/v1/sessions/${id}/tasks`, { input });
      await stage.client.until(task.id, 'COMPLETED');
      expect(stage.peer('sample').requests.at(-1)?.body).toContain(CONTENT.toString('base64'));
    },
  );

  it.each(['artifact_ref', 'image_ref'])(
    '[CORE-AUTH-03] [CORE-AUTH-04] %s of an artifact of others is refused like one that never existed, on every way in',
    async (type) => {
      const foreign = await artifactOf('foreigner');
      const never = foreign.replace(/.{6}$/, '000000');
      const { id } = await stage.client.session();
      const asking = await stage.client.submit('ask', id);
      await stage.client.until(asking.id, 'INPUT_REQUIRED');
      const ways: [path: string, body: (artifact: string) => object, param: string][] = [
        [`/v1/sessions/${id}/tasks`, (a) => ({ input: messageWith(a, type) }), 'input.parts[1].artifact_id'],
        ['/v1/tasks', (a) => ({ session_id: id, input: messageWith(a, type) }), 'input.parts[1].artifact_id'],
        [
          `/v1/sessions/${id}/messages`,
          (a) => ({ message: messageWith(a, type) }),
          'message.parts[1].artifact_id',
        ],
        [
          `/v1/tasks/${asking.id}/messages`,
          (a) => ({ kind: 'input', message: messageWith(a, type) }),
          'message.parts[1].artifact_id',
        ],
        [
          '/v1/sessions',
          (a) => ({ workspace_id: 'workspace_default', initial_messages: [messageWith(a, type)] }),
          'initial_messages[0].parts[1].artifact_id',
        ],
      ];
      for (const [path, body, param] of ways) {
        const refused = await stage.client.call('POST', path, { body: body(foreign) });
        expect([path, refused.status]).toEqual([path, 404]);
        expect(refused.body).toMatchObject({ error: { code: 'resource_not_found', param } });
        const absent = await stage.client.call('POST', path, { body: body(never) });
        const without = (text: string) => text.replace(/"request_id":"[^"]*"/, '');
        expect(without(absent.text)).toBe(without(refused.text));
      }
      expect(stage.peer('sample').requests.filter(({ body }) => body.includes(foreign))).toEqual([]);
    },
  );
});
