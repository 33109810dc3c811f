import { describe, expect, it } from 'vitest';
import { SUPPORTED_VERSIONS, VERSION_HEADER } from '#protocol/versions.ts';
import type { Message } from '#resources/message/schema.ts';
import type { Session } from '#resources/session/schema.ts';
import type { Task } from '#resources/task/schema.ts';
import { type TestAnswer, TestClient, userText } from '../harness/client.ts';
import { startTestGateway } from '../harness/gateway.ts';
import { WsRefused, WsTestClient } from '../harness/ws-client.ts';
import { stageOf } from './stage.ts';

const OLDER = 'agents-protocol-2026-04-25';
const NEWER = 'agents-protocol-2026-10-11';
const PUBLIC = { authorization: undefined };

interface OpenApi {
  info: { version: string; description: string };
  paths: Record<string, Record<string, { parameters?: object[]; responses: Record<string, object> }>>;
  components: {
    parameters: Record<string, { schema: object; description: string }>;
    schemas: Record<string, { properties: Record<string, { enum: string[] }> }>;
  };
}

/** Without the checks of its version: its calls name other ones. */
const plain = ({ url, key }: TestClient) => new TestClient(url, key);

describe('two versions on one gateway', () => {
  const stage = stageOf();
  const ask = (path: string, version: string | undefined, more: Record<string, string> = {}) =>
    plain(stage.client).call('GET', path, { headers: { ...PUBLIC, ...more, [VERSION_HEADER]: version } });

  it('[VER-NEG-01] a request in either version is served, and one in none is told of both', async () => {
    for (const version of SUPPORTED_VERSIONS) {
      const client = await stage.speaking(version);
      expect((await client.call('GET', '/v1/sessions')).status).toBe(200);
    }
    const refused = await stage.client.call('GET', '/v1/sessions', { headers: { [VERSION_HEADER]: 'v1' } });
    expect(refused.status).toBe(426);
    expect(refused.body).toMatchObject({
      error: { param: VERSION_HEADER, details: { supported_versions: [OLDER, NEWER] } },
    });
    for (const version of [OLDER, NEWER]) expect(refused.text).toContain(version);
  });

  it.each([
    ['/v1', 'current_version'],
    ['/version', 'protocol_version'],
    ['/v1/agent-card', 'protocol_version'],
  ])('[VER-NEG-02] [VER-NEG-03] %s speaks the version asked for', async (path, member) => {
    for (const [asked, spoken] of [
      [OLDER, OLDER],
      [NEWER, NEWER],
      [undefined, OLDER],
      ['agents-protocol-1999-01-01', OLDER],
    ] as const) {
      const answer = await ask(path, asked);
      expect([asked, answer.status, answer.body[member]]).toEqual([asked, 200, spoken]);
      expect(answer.headers.get('vary')).toContain(VERSION_HEADER);
    }
  });

  it('[VER-NEG-02] the runtime speaks the version of the call', async () => {
    for (const version of SUPPORTED_VERSIONS) {
      const answer = await (await stage.speaking(version)).call('GET', '/v1/runtime');
      expect(answer.body['protocol_version']).toBe(version);
      expect(answer.headers.get('vary')).toContain(VERSION_HEADER);
    }
  });

  it('[VER-NEG-02] [VER-NEG-05] the card of each version has a signature of its own; the A2A card in it is one for all', async () => {
    const older = await ask('/v1/agent-card', OLDER);
    const newer = await ask('/v1/agent-card', NEWER);
    expect([older.body['object'], newer.body['object']]).toEqual(['agent_card', 'harn_agent_card']);
    expect(newer.body['signature']).not.toEqual(older.body['signature']);
    expect(newer.body['a2a_card']).toEqual(older.body['a2a_card']);
    const { supportedInterfaces } = newer.body['a2a_card'] as {
      supportedInterfaces: { protocolVersion: string }[];
    };
    const named = supportedInterfaces.map(({ protocolVersion }) => protocolVersion);
    expect(named.filter((version) => version.startsWith('agents-protocol-'))).toEqual([OLDER, NEWER]);
    const known = { 'if-none-match': newer.headers.get('etag') ?? '' };
    expect((await ask('/v1/agent-card', NEWER, known)).status).toBe(304);
    expect((await ask('/v1/agent-card', OLDER, known)).status).toBe(200);
  });

  it('[VER-NEG-02] /openapi.json describes the version asked for, and how to choose one', async () => {
    const [older, newer] = await Promise.all(
      [OLDER, NEWER].map(async (version) => (await ask('/openapi.json', version)).body as unknown as OpenApi),
    );
    const words = (document: OpenApi | undefined, schema: string, member: string) =>
      document?.components.schemas[schema]?.properties[member]?.enum;
    for (const [document, version, kinds] of [
      [older, OLDER, ['input', 'interrupt', 'tool_confirmation']],
      [newer, NEWER, ['input']],
    ] as const) {
      expect(document?.info.version).toBe(version);
      expect(document?.info.description).toContain(VERSION_HEADER);
      expect(document?.components.parameters['ProtocolVersion']?.schema).toMatchObject({ enum: [version] });
      expect(words(document, 'Discovery', 'current_version')).toEqual([version]);
      expect(words(document, 'AppendTaskMessageRequest', 'kind')).toEqual(kinds);
    }
    const takesKey = (document: OpenApi | undefined) =>
      Object.entries(document?.paths ?? {}).flatMap(([path, methods]) =>
        Object.entries(methods)
          .filter(([, { parameters }]) => JSON.stringify(parameters ?? []).includes('IdempotencyKey'))
          .map(([method]) => `${method} ${path}`),
      );
    expect(takesKey(newer).sort()).toEqual(['post /v1/sessions/{session_id}/tasks', 'post /v1/tasks']);
    expect(takesKey(older).length).toBeGreaterThan(20);
    expect(newer?.paths['/v1/tasks']?.['post']?.responses).toHaveProperty('200');
    expect(older?.paths['/v1/tasks']?.['post']?.responses).not.toHaveProperty('200');
  });

  it('[VER-NEG-03] the operator may choose the version of public documents', async () => {
    const gateway = await startTestGateway({ config: { server: { default_protocol_version: NEWER } } });
    try {
      const read = async (path: string, version?: string) =>
        (await gateway.client.call('GET', path, { headers: { ...PUBLIC, [VERSION_HEADER]: version } })).body;
      expect(await read('/v1')).toMatchObject({ current_version: NEWER });
      expect(await read('/v1', OLDER)).toMatchObject({ current_version: OLDER });
      expect(await read('/v1/agent-card')).toMatchObject({
        object: 'harn_agent_card',
        protocol_version: NEWER,
      });
      const unnamed = await gateway.client.call('GET', '/v1/sessions', {
        headers: { [VERSION_HEADER]: undefined },
      });
      expect(unnamed.status).toBe(426);
    } finally {
      await gateway.close();
    }
  });

  describe('over a WebSocket', () => {
    const bearer = () => `harn.bearer.${stage.client.key}`;
    const open = (protocols: string[], headers: Record<string, string> = {}) =>
      WsTestClient.open(stage.client.url, '/v1/ws', { bare: true, protocols, headers });
    /** Only in the older version does a message take a key. */
    const versionOf = async (socket: WsTestClient): Promise<string> => {
      const { id } = await stage.client.session();
      const message = { type: 'user_message', session_id: id, message: userText('hi') };
      const frame = await socket.ask({ ...message, id: 'm', idempotency_key: `ws-${id}` });
      socket.socket.close();
      if (frame.type === 'ack') return OLDER;
      expect(frame.error).toMatchObject({ code: 'invalid_request', param: 'Idempotency-Key' });
      return NEWER;
    };

    it.each([
      [['harn.v1'], 'harn.v1', OLDER],
      [['harn.v1.2026-10-11'], 'harn.v1.2026-10-11', NEWER],
      [['harn.v1.2026-10-11', 'harn.v1'], 'harn.v1.2026-10-11', NEWER],
      [['harn.v1', 'harn.v1.2026-10-11'], 'harn.v1', OLDER],
    ])('[VER-NEG-04] %j is answered with %s', async (protocols, selected, version) => {
      const socket = await open([...protocols, bearer()]);
      expect(socket.socket.protocol).toBe(selected);
      expect(await versionOf(socket)).toBe(version);
    });

    it('[VER-NEG-04] the header counts before the subprotocol', async () => {
      const socket = await open(['harn.v1', bearer()], { [VERSION_HEADER]: NEWER });
      expect(await versionOf(socket)).toBe(NEWER);
    });

    it('[VER-NEG-04] a subprotocol of no version is refused like a missing header', async () => {
      const refused = await open(['harn.v1.2027-01-01', bearer()]).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(WsRefused);
      expect((refused as WsRefused).status).toBe(426);
    });

    it('[VER-IDEM-02] [VER-MSG-01] frames follow the rules of the version', async () => {
      const socket = await open(['harn.v1.2026-10-11', bearer()]);
      const task = await stage.client.submit('slow 5');
      const interrupt = { type: 'user_message', task_id: task.id, kind: 'interrupt', message: userText('x') };
      expect((await socket.ask({ ...interrupt, id: 'i' })).error).toMatchObject({ param: 'kind' });
      expect(await socket.ask({ type: 'cancel', id: 'c', task_id: task.id })).toMatchObject({ type: 'ack' });
      socket.socket.close();
      const keyed = await open([bearer(), 'harn.v1.2026-10-11'], { 'Idempotency-Key': 'k' }).catch((e) => e);
      expect((keyed as WsRefused).error).toMatchObject({ param: 'Idempotency-Key' });
    });
  });
});

let made = 0;
const newKey = () => `version-key-${++made}`;

describe('retries in two versions', () => {
  const stage = stageOf();
  const older = () => stage.client;
  let kept: TestClient | undefined;
  const newer = async () => {
    kept ??= await stage.speaking(NEWER);
    return kept;
  };
  const send = (
    client: TestClient,
    path: string,
    key: string,
    body?: unknown,
    method = 'POST',
  ): Promise<TestAnswer> =>
    client.call(method, path, {
      ...(body === undefined ? {} : { body }),
      headers: { 'idempotency-key': key },
    });
  const pathsOf = async (client: TestClient) => {
    const { id } = await client.session();
    const input = userText('hello');
    return {
      ofAny: ['/v1/tasks', { session_id: id, input }] as const,
      ofSession: [`/v1/sessions/${id}/tasks`, { input }] as const,
      list: `/v1/sessions/${id}/tasks`,
    };
  };
  const count = async (path: string) => (await stage.client.get<{ data: unknown[] }>(path)).data.length;

  it('[VER-IDEM-01] a create is 202, its retry 200 with the task as it is now, at either path', async () => {
    const client = await newer();
    const { ofAny, ofSession, list } = await pathsOf(client);
    const key = newKey();
    const [path, body] = ofAny;
    const first = await send(client, path, key, body);
    expect(first.status).toBe(202);
    await client.until(String(first.body['id']), 'COMPLETED');
    for (const [again, same] of [ofAny, ofSession]) {
      const retry = await send(client, again, key, same);
      expect([retry.status, retry.body['id'], retry.body['status']]).toEqual([
        200,
        first.body['id'],
        'COMPLETED',
      ]);
      expect(retry.headers.get('idempotency-replayed')).toBe('true');
    }
    expect(await count(list)).toBe(1);
  });

  it('[VER-IDEM-01] another body under the key is 409, and another session is another target', async () => {
    const client = await newer();
    const { ofAny, ofSession } = await pathsOf(client);
    const key = newKey();
    await send(client, ofAny[0], key, ofAny[1]);
    const other = await send(client, ofSession[0], key, { input: userText('something else') });
    expect([other.status, other.body['error']]).toMatchObject([409, { code: 'idempotency_key_reused' }]);
    const elsewhere = await pathsOf(client);
    expect((await send(client, elsewhere.ofSession[0], key, elsewhere.ofSession[1])).status).toBe(202);
  });

  it('[VER-IDEM-01] a task with a session of its own is retried without a session id', async () => {
    const client = await newer();
    const key = newKey();
    const body = { session: { workspace_id: 'workspace_default' }, input: userText('hello') };
    const first = await send(client, '/v1/tasks', key, body);
    const again = await send(client, '/v1/tasks', key, body);
    expect([first.status, again.status, again.body['id']]).toEqual([202, 200, first.body['id']]);
    const older_ = await send(older(), '/v1/tasks', key, body);
    expect([older_.status, older_.body['id']]).toEqual([202, first.body['id']]);
  });

  it('[VER-IDEM-03] what was created in one version is found by a retry in the other', async () => {
    const client = await newer();
    for (const from of ['ofAny', 'ofSession'] as const) {
      for (const to of ['ofAny', 'ofSession'] as const) {
        const key = newKey();
        const paths = await pathsOf(client);
        const first = await send(older(), paths[from][0], key, paths[from][1]);
        const retry = await send(client, paths[to][0], key, paths[to][1]);
        expect([from, to, retry.status, retry.body['id']]).toEqual([from, to, 200, first.body['id']]);
        expect(await count(paths.list)).toBe(1);

        const back = newKey();
        const created = await send(client, paths[from][0], back, paths[from][1]);
        const found = await send(older(), paths[to][0], back, paths[to][1]);
        expect([from, to, found.status, found.body['id']]).toEqual([from, to, 202, created.body['id']]);
        expect(found.body['status']).toBe(created.body['status']);
        expect(await count(paths.list)).toBe(2);
      }
    }
  });

  it('[VER-IDEM-03] two paths stay two targets for older clients', async () => {
    const { ofAny, ofSession, list } = await pathsOf(older());
    const key = newKey();
    await send(older(), ofAny[0], key, ofAny[1]);
    await send(older(), ofSession[0], key, ofSession[1]);
    expect(await count(list)).toBe(2);
    const client = await newer();
    for (const [path, body] of [ofAny, ofSession]) {
      const theirs = await send(older(), path, key, body);
      expect((await send(client, path, key, body)).body['id']).toBe(theirs.body['id']);
    }
  });

  it('[VER-IDEM-03] what a retry found at the other path is found by older clients at its own', async () => {
    const client = await newer();
    for (const [from, to] of [
      ['ofSession', 'ofAny'],
      ['ofAny', 'ofSession'],
    ] as const) {
      const paths = await pathsOf(client);
      const key = newKey();
      const first = await send(older(), paths[from][0], key, paths[from][1]);
      const retry = await send(client, paths[to][0], key, paths[to][1]);
      const back = await send(older(), paths[to][0], key, paths[to][1]);
      expect([from, retry.body['id'], back.body['id']]).toEqual([from, first.body['id'], first.body['id']]);
      const other = await send(older(), paths[to][0], key, { ...paths[to][1], input: userText('other') });
      expect([from, other.status]).toEqual([from, 409]);
      expect(await count(paths.list)).toBe(1);
    }
  });

  it('[VER-IDEM-01] two creates are one target whether the body names the workspace or not', async () => {
    const client = await newer();
    const spellings = async () => {
      const { ofAny, ofSession } = await pathsOf(client);
      const named = <Body extends object>([path, body]: readonly [string, Body]) =>
        [path, { ...body, workspace_id: 'workspace_default' }] as const;
      return [ofAny, ofSession, named(ofAny), named(ofSession)];
    };
    for (const maker of [client, older()]) {
      for (const from of [0, 1, 2, 3]) {
        const key = newKey();
        const all = await spellings();
        const [path, body] = all[from] ?? ['', {}];
        const first = await send(maker, path, key, body);
        expect(first.status).toBe(202);
        for (const [again, same] of all) {
          const retry = await send(client, again, key, same);
          expect([from, again, retry.status, retry.body['id']]).toEqual([from, again, 200, first.body['id']]);
        }
      }
    }
  });

  it('[VER-IDEM-03] a refusal that was decided is given again in the other version', async () => {
    const client = await newer();
    const { id } = await client.session();
    const key = newKey();
    const body = { input: userText('hello'), parent_task_id: 'task_absent' };
    const first = await send(older(), `/v1/sessions/${id}/tasks`, key, body);
    const again = await send(client, '/v1/tasks', key, { ...body, session_id: id });
    expect([first.status, again.status]).toEqual([404, 404]);
  });

  it('[VER-IDEM-03] a hundred simultaneous creates in both versions make one task', async () => {
    const client = await newer();
    const { ofAny, ofSession, list } = await pathsOf(client);
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => {
        const [path, body] = n % 2 === 0 ? ofAny : ofSession;
        return send(client, path, key, body);
      }),
    );
    expect(new Set(answers.map(({ body }) => body['id'])).size).toBe(1);
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(99).fill(200), 202]);
    expect(await count(list)).toBe(1);
  });

  it('[VER-IDEM-02] everywhere else a key is refused, before anything happens', async () => {
    const client = await newer();
    const { id } = await client.session();
    const before = await client.events(`/v1/sessions/${id}/events`);
    const refused: [method: string, path: string, body?: unknown][] = [
      ['POST', '/v1/sessions', { workspace_id: 'workspace_default' }],
      ['PATCH', `/v1/sessions/${id}`, { summary: 's' }],
      ['POST', `/v1/sessions/${id}/messages`, { message: userText('m') }],
      ['POST', `/v1/sessions/${id}/close`],
      ['GET', '/v1/sessions'],
      ['GET', `/v1/sessions/${id}/events/stream`],
      ['GET', '/v1'],
      ['GET', '/openapi.json'],
    ];
    for (const [method, path, body] of refused) {
      const answer = await send(client, path, newKey(), body, method);
      expect([path, answer.status, answer.body['error']]).toMatchObject([
        path,
        400,
        {
          code: 'invalid_request',
          param: 'Idempotency-Key',
          details: { reason: 'idempotency_not_supported' },
        },
      ]);
    }
    expect(await client.events(`/v1/sessions/${id}/events`)).toEqual(before);
    const unnamed = { headers: { [VERSION_HEADER]: undefined, 'idempotency-key': newKey() } };
    expect((await plain(client).call('GET', '/v1', unnamed)).status).toBe(200);
  });

  describe('messages to a task', () => {
    const say = async (task: string, kind: string, text = 'more') =>
      (await newer()).call('POST', `/v1/tasks/${task}/messages`, {
        body: { kind, message: userText(text) },
      });

    it('[VER-MSG-01] other kinds are refused with what to do instead', async () => {
      const task = await stage.client.submit('ask');
      await stage.client.until(task.id, 'INPUT_REQUIRED');
      for (const kind of ['interrupt', 'tool_confirmation']) {
        const answer = await say(task.id, kind);
        expect([answer.status, answer.body['error']]).toMatchObject([
          400,
          { code: 'invalid_request', param: 'kind' },
        ]);
        expect(answer.text).toContain('/cancel');
      }
      // One without a kind is told the kinds of this version, not those of the other one.
      const { body } = await (await newer()).call('POST', `/v1/tasks/${task.id}/messages`, {
        body: { message: userText('red') },
      });
      expect(body['error']).toMatchObject({ code: 'invalid_request', param: 'kind' });
      const { message } = body['error'] as { message: string };
      expect(message).toMatch(/^kind: must be input in agents-protocol-2026-10-11/);
      expect(message).not.toMatch(/interrupt|tool_confirmation/);
      expect((await stage.client.get<Task>(`/v1/tasks/${task.id}`)).status).toBe('INPUT_REQUIRED');
      expect((await say(task.id, 'input', 'red')).status).toBe(201);
      await stage.client.until(task.id, 'COMPLETED');
    });

    it('[VER-MSG-01] input steers a working task and is told as an interrupt', async () => {
      const task = await stage.client.submit('slow 5');
      const kinds = async () =>
        (await stage.client.events(`/v1/tasks/${task.id}/events`)).map((e) => e.event);
      await expect.poll(kinds).toContain('vendor.harn_gateway.upstream_bound');
      const answer = await say(task.id, 'input', 'faster');
      expect(answer.status).toBe(201);
      const events = await stage.client.events(`/v1/tasks/${task.id}/events`);
      const submitted = events.find(({ event }) => event === 'user.input_submitted');
      expect(submitted?.payload).toMatchObject({ message_id: answer.body['id'], kind: 'interrupt' });
      // A client of the other version reads it where it reads its own.
      const read = await stage.client.get<Message>(`/v1/messages/${answer.body['id']}`);
      expect(read).toEqual(answer.body);
      await stage.client.post(`/v1/tasks/${task.id}/cancel`);
    });

    it('[VER-MSG-01] a task that has not begun or has ended takes none: 409', async () => {
      const { id } = await stage.client.session();
      const running = await stage.client.submit('slow 5', id);
      const queued = await stage.client.submit('hello', id);
      expect(queued.status).toBe('SUBMITTED');
      expect((await say(queued.id, 'input')).body['error']).toMatchObject({
        code: 'conflict',
        details: { status: 'SUBMITTED' },
      });
      await stage.client.post(`/v1/tasks/${queued.id}/cancel`);
      await stage.client.post(`/v1/tasks/${running.id}/cancel`);
      expect((await say(running.id, 'input')).status).toBe(409);
    });
  });

  it('[VER-NEG-05] receipts of tasks in either version name the same version and verify', async () => {
    const client = await newer();
    const session = await client.session();
    for (const from of [client, older()]) {
      const task = await from.submit('hello', session.id);
      const { receipt_id } = await from.until(task.id, 'COMPLETED');
      const shown = await Promise.all(
        [client, older()].map(
          async (reader) => (await reader.call('GET', `/v1/receipts/${receipt_id}`)).text,
        ),
      );
      expect(shown[0]).toBe(shown[1]);
      expect(shown[0]).toContain(OLDER);
      expect(shown[0]).not.toContain(NEWER);
    }
    // One session, two versions: each sees what the other did.
    expect(await client.get<Session>(`/v1/sessions/${session.id}`)).toEqual(
      await older().get<Session>(`/v1/sessions/${session.id}`),
    );
  });
});
