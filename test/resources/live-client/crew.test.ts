import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { LiveSessionClient, LiveSessionClientChange } from '#resources/live-client/schema.ts';
import type { Session } from '#resources/session/schema.ts';
import { AcpClient } from '../../harness/acp-client.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { startAcpAgent } from '../../harness/peers/acp-socket-agent.ts';
import { WsTestClient } from '../../harness/ws-client.ts';
import { rawEditor } from './raw-editor.ts';

const KIND = 'vendor.harn_gateway.live_client_changed';
const EDITOR = { harn: { clientId: 'editor' } };

/** Somebody who takes the control of a Session, by the face that is spoken. */
type Take = (sessionId: string) => Promise<unknown>;

describe('an editor, a user of a WebSocket and a REST client in one session', () => {
  let gateway: TestGateway;
  let coder: Awaited<ReturnType<typeof startAcpAgent>>;
  let ends: (() => unknown)[] = [];
  beforeAll(async () => {
    coder = await startAcpAgent();
    gateway = await startTestGateway({ config: { upstreams: { acp: [{ id: 'coder', url: coder.url }] } } });
  });
  afterEach(async () => {
    for (const end of ends) await end();
    ends = [];
  });
  afterAll(async () => {
    await gateway.close();
    await coder.close();
  });

  async function editor(at = gateway): Promise<AcpClient> {
    const client = await AcpClient.overSocket(at.url, at.client.key);
    ends.push(() => client.close());
    await client.agent.request('initialize', { protocolVersion: 1, _meta: EDITOR });
    return client;
  }

  async function socket(sessionId: string, at = gateway): Promise<WsTestClient> {
    const client = await WsTestClient.open(at.url, '/v1/ws', { key: at.client.key });
    ends.push(() => client.socket.terminate());
    await client.ask({ id: 's', type: 'subscribe', stream: 'session', session_id: sessionId });
    return client;
  }

  async function crewOf(sessionId: string, at = gateway): Promise<LiveSessionClient[]> {
    return (await at.client.get<{ data: LiveSessionClient[] }>(`/v1/sessions/${sessionId}/live-clients`))
      .data;
  }

  /** Connections come and go beside the answers. */
  async function untilCrew(sessionId: string, ids: string[], at = gateway): Promise<LiveSessionClient[]> {
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const crew = await crewOf(sessionId, at);
      if (JSON.stringify(crew.map(({ client_id }) => client_id)) === JSON.stringify(ids)) return crew;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    throw new Error(`${JSON.stringify(await crewOf(sessionId, at))} is not ${ids.join()}`);
  }

  const changes = async (sessionId: string, at = gateway) =>
    (await at.client.events(`/v1/sessions/${sessionId}/events`)).filter(({ event }) => event === KIND);

  it('a socket that attaches and then follows is there once, under the name that it gave', async () => {
    const { id: session_id } = await gateway.client.session();
    const ws = await WsTestClient.open(gateway.url, '/v1/ws', { key: gateway.client.key });
    ends.push(() => ws.socket.terminate());
    await ws.ask({ id: 'a', type: 'client_attach', session_id, client_id: 'desk' });
    await ws.ask({ id: 's', type: 'subscribe', stream: 'session', session_id });
    await untilCrew(session_id, ['desk']);
    await gateway.client.post(`/v1/sessions/${session_id}/attach`, { client_id: 'other' });
    await untilCrew(session_id, ['desk', 'other']);
    expect(await changes(session_id)).toHaveLength(2);
  });

  it('a socket on the path of a session stream is seen there, held to its role, and gone when it is cut', async () => {
    const { id } = await gateway.client.session();
    const path = `/v1/sessions/${id}/events/stream`;
    const ws = await WsTestClient.open(gateway.url, path, { key: gateway.client.key });
    ends.push(() => ws.socket.terminate());
    await expect.poll(async () => (await crewOf(id)).length).toBe(1);
    await ws.ask({ id: 'a', type: 'client_attach', session_id: id, client_id: 'desk' });
    await untilCrew(id, ['desk']);
    const message = { role: 'user', parts: [{ type: 'text', text: 'hello', visibility: 'public' }] };
    expect(await ws.ask({ id: 'm', type: 'user_message', session_id: id, message })).toMatchObject({
      type: 'error',
      error: { code: 'invalid_state_transition', details: { reason: 'live_client_error' } },
    });
    ws.socket.terminate();
    await untilCrew(id, []);
  });

  it('who follows a session is seen in it and recorded nowhere, until somebody attaches', async () => {
    const acp = await editor();
    const { sessionId } = await acp.session({ route: 'acp:coder' });
    const [first] = await untilCrew(sessionId, ['editor']);
    expect(first).toMatchObject({ mode: 'observer', prompt_injection: false, metadata: { protocol: 'acp' } });
    const ws = await socket(sessionId);
    const [, second] = await crewOf(sessionId);
    expect(second).toMatchObject({ mode: 'observer', metadata: { protocol: 'websocket' } });
    const session = await gateway.client.get<Session>(`/v1/sessions/${sessionId}`);
    expect(session).toMatchObject({ live_clients: [first, second], live_controller_id: null });
    expect((await acp.prompt(sessionId, 'hello')).stopReason).toBe('end_turn');
    expect(await changes(sessionId)).toEqual([]);
    await gateway.client.post(`/v1/sessions/${sessionId}/attach`, { client_id: 'a-console' });
    const [attached] = await changes(sessionId);
    expect(attached?.payload['clients']).toHaveLength(3);
    ws.socket.terminate();
    await untilCrew(sessionId, ['a-console', 'editor']);
    const late = await socket(sessionId);
    const ids = (await crewOf(sessionId)).map(({ client_id }) => client_id);
    expect(ids).toHaveLength(3);
    await late.ask({ id: 'u', type: 'unsubscribe', subscription: `session:${sessionId}` });
    await acp.agent.request('session/close', { sessionId });
    await untilCrew(sessionId, ['a-console']);
    const said = (await changes(sessionId)).map(({ payload }) => [payload['action'], payload['reason']]);
    expect(said).toEqual([
      ['attached', null],
      ['detached', 'connection_closed'],
      ['attached', null],
      ['detached', 'connection_closed'],
      ['detached', 'connection_closed'],
    ]);
  });

  it('control is taken over in every direction, and holds for connections that attached', async () => {
    const acp = await editor();
    const { sessionId } = await acp.session({ route: 'acp:coder' });
    const ws = await socket(sessionId);
    let frame = 0;
    const takes: Record<string, Take> = {
      editor: (id) => acp.agent.request('session/takeover', { sessionId: id }),
      phone: async (id) => {
        frame += 1;
        const body = { type: 'client_takeover', session_id: id, client_id: 'phone' };
        expect((await ws.ask({ id: `t${frame}`, ...body })).type).toBe('ack');
      },
      script: (id) => gateway.client.post(`/v1/sessions/${id}/takeover`, { client_id: 'script' }),
    };
    const order = ['editor', 'phone', 'script', 'editor', 'script', 'phone', 'editor'];
    for (const [at, name] of order.entries()) {
      await takes[name]?.(sessionId);
      const session = await gateway.client.get<Session>(`/v1/sessions/${sessionId}`);
      expect(session.live_controller_id).toBe(name);
      const controllers = session.live_clients?.filter(({ mode }) => mode === 'controller');
      expect(controllers?.map(({ client_id }) => client_id)).toEqual([name]);
      const last = (await changes(sessionId)).at(-1);
      expect(last?.payload).toMatchObject({
        action: 'takeover',
        previous_controller_id: order[at - 1] ?? null,
      });
    }
    expect((await crewOf(sessionId)).map(({ client_id }) => client_id)).toEqual([
      'editor',
      'phone',
      'script',
    ]);
    const words = { message: { role: 'user', parts: [{ type: 'text', text: 'hi', visibility: 'public' }] } };
    const refused = await ws.ask({ id: 'm', type: 'user_message', session_id: sessionId, ...words });
    expect(refused.error).toMatchObject({
      code: 'invalid_state_transition',
      details: { mode: 'observer', active_controller_id: 'editor' },
    });
    expect((await acp.prompt(sessionId, 'hello')).stopReason).toBe('end_turn');
    await takes['phone']?.(sessionId);
    await expect(acp.prompt(sessionId, 'hello')).rejects.toMatchObject({ code: -32602 });
    expect((await ws.ask({ id: 'n', type: 'user_message', session_id: sessionId, ...words })).type).toBe(
      'ack',
    );
    expect((await gateway.client.submit('from REST', sessionId)).status).not.toBe('FAILED');
    await expect(
      acp.agent.request('session/attach', { sessionId, mode: 'controller' }),
    ).rejects.toMatchObject({
      code: -32602,
      data: { harn: { details: { active_controller_id: 'phone' } } },
    });
    await expect(
      acp.agent.request('session/detach', { sessionId, clientId: 'nobody' }),
    ).rejects.toMatchObject({
      code: -32602,
    });
    const listed = await acp.agent.request<{ clients: LiveSessionClient[] }>('session/live_clients', {
      sessionId,
    });
    expect(listed.clients).toEqual(await crewOf(sessionId));
    const beat = await acp.agent.request<LiveSessionClientChange>('session/heartbeat', { sessionId });
    expect(beat.client?.client_id).toBe('editor');
    const gone = await acp.agent.request<LiveSessionClientChange>('session/detach', { sessionId });
    expect(gone.client).toBeNull();
    expect((await acp.prompt(sessionId, 'hello')).stopReason).toBe('end_turn');
  });

  it('what needs an answer is asked of who controls the session, and moves with the control', async () => {
    const one = await editor();
    const two = await AcpClient.overSocket(gateway.url, gateway.client.key);
    ends.push(() => two.close());
    const { sessionId } = await one.session({ route: 'acp:coder' });
    await one.agent.request('session/attach', { sessionId, mode: 'controller' });
    await two.agent.request('session/load', { sessionId, cwd: '/work', mcpServers: [] });
    await two.agent.request('session/attach', { sessionId, clientId: 'second' });
    const prompt = one.prompt(sessionId, 'edit');
    await one.until(() => one.permissions.length === 1);
    await two.until(() => two.text('agent_thought_chunk').includes('Somebody else has to answer this'));
    expect(two.permissions).toEqual([]);
    await two.agent.request('session/takeover', { sessionId, clientId: 'second' });
    await two.until(() => two.permissions.length === 1);
    const { data } = await gateway.client.get<{ data: { id: string }[] }>(
      `/v1/permission-requests?session_id=${sessionId}`,
    );
    await gateway.client.post(`/v1/permission-requests/${data[0]?.id}/respond`, { approved: true });
    expect((await prompt).stopReason).toBe('end_turn');
  });

  it('an editor that says so is told of every change, as Harn tells it, and no other one is', async () => {
    const told = await rawEditor(gateway, { harn: { liveClients: true } });
    const { sessionId } = (await told.ask('session/new', { cwd: '/work', mcpServers: [] })) as {
      sessionId: string;
    };
    const other = await rawEditor(gateway, {});
    ends.push(
      () => told.close(),
      () => other.close(),
    );
    await other.ask('session/load', { sessionId, cwd: '/work', mcpServers: [] });
    const post = (verb: string, body: object) =>
      gateway.client.post(`/v1/sessions/${sessionId}/${verb}`, body);
    await post('attach', { client_id: 'script', mode: 'controller' });
    await told.ask('session/takeover', { sessionId, clientId: 'editor' });
    await post('heartbeat', { client_id: 'script' });
    await post('detach', { client_id: 'script' });
    const live = () => told.updates.filter(({ sessionUpdate }) => sessionUpdate === 'live_session_client');
    await expect.poll(live).toHaveLength(3);
    const [attached, taken, left] = live().map((update) => update['_meta'].harn);
    const client = { client_id: 'script', mode: 'controller', prompt_injection: true };
    expect(attached).toMatchObject({
      action: 'attached',
      state: { client, previous_controller_id: null, active_controller_id: 'script' },
    });
    expect(taken).toMatchObject({
      action: 'takeover',
      state: { previous_controller_id: 'script', active_controller_id: 'editor' },
    });
    expect(left).toMatchObject({ action: 'detached', state: { client: null } });
    expect(left?.state.clients.map(({ client_id }) => client_id)).toContain('editor');
    await other.ask('session/live_clients', { sessionId });
    expect(JSON.stringify(other.updates)).not.toContain('live_session_client');
  });

  it('one that is killed is gone with its connection, and control with it', async () => {
    const acp = await editor();
    const { sessionId } = await acp.session({ route: 'acp:coder' });
    await acp.agent.request('session/attach', { sessionId, mode: 'controller' });
    const ws = await socket(sessionId);
    await ws.ask({ id: 'a', type: 'client_attach', session_id: sessionId, client_id: 'phone' });
    await gateway.client.post(`/v1/sessions/${sessionId}/attach`, { client_id: 'script' });
    acp.close();
    await untilCrew(sessionId, ['phone', 'script']);
    expect((await gateway.client.get<Session>(`/v1/sessions/${sessionId}`)).live_controller_id).toBeNull();
    ws.socket.terminate();
    await untilCrew(sessionId, ['script']);
  });

  it.each(['in good order', 'without a word'])('after a restart %s nobody is a ghost', async (how) => {
    const data = mkdtempSync(join(tmpdir(), 'harn-crew-'));
    const copy = `${data}-copy`;
    ends.push(() => rmSync(data, { recursive: true }));
    const first = await startTestGateway({
      data,
      config: { upstreams: { acp: [{ id: 'coder', url: coder.url }] } },
    });
    const acp = await editor(first);
    const { sessionId } = await acp.session({ route: 'acp:coder' });
    await acp.agent.request('session/attach', { sessionId, mode: 'controller' });
    await socket(sessionId, first);
    await first.client.post(`/v1/sessions/${sessionId}/attach`, {
      client_id: 'script',
      metadata: { kept: true },
    });
    await first.client.post(`/v1/sessions/${sessionId}/attach`, {
      client_id: 'script',
      metadata: { kept: 1 },
    });
    expect(await crewOf(sessionId, first)).toHaveLength(3);
    // What is on the disk now is what a process that was killed now leaves.
    cpSync(data, copy, { recursive: true, filter: (path) => !path.endsWith('LOCK') });
    ends.push(() => rmSync(copy, { recursive: true }));
    await first.close();
    const second = await startTestGateway({ data: how === 'in good order' ? data : copy });
    ends.push(() => second.close());
    const [left, ...more] = await crewOf(sessionId, second);
    expect(more).toEqual([]);
    expect(left).toMatchObject({ client_id: 'script', metadata: { kept: 1 } });
    const session = await second.client.get<Session>(`/v1/sessions/${sessionId}`);
    expect(session).toMatchObject({ live_clients: [left], live_controller_id: null });
    const last = (await changes(sessionId, second)).at(-1);
    const reason = how === 'in good order' ? 'connection_closed' : 'gateway_restarted';
    expect(last?.payload).toMatchObject({ action: 'detached', reason, clients: [left] });
    const again = await second.client.post<LiveSessionClientChange>(`/v1/sessions/${sessionId}/heartbeat`, {
      client_id: 'script',
    });
    expect(again.clients).toHaveLength(1);
  });
});
