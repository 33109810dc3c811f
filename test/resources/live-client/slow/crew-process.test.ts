import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LiveSessionClient } from '#resources/live-client/schema.ts';
import type { Session } from '#resources/session/schema.ts';
import { goodClaims, issuerRow } from '../../../conformance/token-stage.ts';
import { GatewayPlace, type GatewayProcess, KEY } from '../../../faults/gateway-process.ts';
import { AcpLauncher } from '../../../harness/acp-launcher.ts';
import { acpAgentCommand } from '../../../harness/acp-stage.ts';
import { signingPair, signToken, TokenIssuerPeer } from '../../../harness/peers/token-issuer.ts';
import { WsTestClient } from '../../../harness/ws-client.ts';

/** Gateway, launcher and agent are processes, which take seconds on a busy machine. */
const PATIENCE_MS = 180_000;

describe('an editor, a console user and an SDK client of one gateway process', {
  timeout: PATIENCE_MS,
}, () => {
  let issuer: TokenIssuerPeer;
  let token: string;
  let place: GatewayPlace;
  let gateway: GatewayProcess;
  const launchers: AcpLauncher[] = [];
  beforeAll(async () => {
    issuer = await new TokenIssuerPeer().start();
    const pair = await signingPair('k1');
    issuer.publish(pair);
    const now = Math.floor(Date.now() / 1_000);
    const scope = 'sessions:read sessions:write events:read tasks:read tasks:write';
    token = await signToken(pair, goodClaims(issuer.url, { iat: now - 10, exp: now + 3_000, scope }));
    place = new GatewayPlace({
      auth: { oauth: [issuerRow(issuer.url)] },
      upstreams: { acp: [{ id: 'coder', command: acpAgentCommand() }] },
    });
    gateway = await place.start();
  }, PATIENCE_MS);
  afterAll(async () => {
    for (const launcher of launchers) launcher.process.kill('SIGKILL');
    await gateway.kill();
    await issuer.close();
    place.remove();
  });

  /** An editor with the launcher that it spawns. */
  async function openEditor(clientId = 'editor'): Promise<AcpLauncher> {
    const launcher = new AcpLauncher(['--url', gateway.client.url, '--key', KEY], { HOME: place.folder });
    launchers.push(launcher);
    await launcher.client.agent.request('initialize', {
      protocolVersion: 1,
      _meta: { harn: { clientId } },
    });
    return launcher;
  }

  /** A page of the console: a socket with the access token of its user. */
  async function openConsole(sessionId: string): Promise<WsTestClient> {
    const socket = await WsTestClient.open(gateway.client.url, '/v1/ws', { key: token });
    await socket.ask({ id: 's', type: 'subscribe', stream: 'session', session_id: sessionId });
    return socket;
  }

  const crewOf = async (sessionId: string) =>
    (await gateway.client.get<{ data: LiveSessionClient[] }>(`/v1/sessions/${sessionId}/live-clients`)).data;
  const idsOf = async (sessionId: string) => (await crewOf(sessionId)).map(({ client_id }) => client_id);
  const sessionOf = (sessionId: string) => gateway.client.get<Session>(`/v1/sessions/${sessionId}`);

  it('take over from each other in every direction', async () => {
    const editor = await openEditor();
    const { sessionId } = await editor.client.session({ route: 'acp:coder' });
    const page = await openConsole(sessionId);
    const takes: Record<string, () => Promise<unknown>> = {
      editor: () => editor.client.agent.request('session/takeover', { sessionId }),
      page: () =>
        page.ask({
          id: `t${Math.random()}`,
          type: 'client_takeover',
          session_id: sessionId,
          client_id: 'page',
        }),
      sdk: () => gateway.client.post(`/v1/sessions/${sessionId}/takeover`, { client_id: 'sdk' }),
    };
    for (const name of ['editor', 'page', 'sdk', 'editor', 'sdk', 'page', 'editor']) {
      await takes[name]?.();
      expect((await sessionOf(sessionId)).live_controller_id).toBe(name);
    }
    expect(await idsOf(sessionId)).toEqual(['editor', 'page', 'sdk']);
    expect((await editor.client.prompt(sessionId, 'stream')).stopReason).toBe('end_turn');
    page.socket.terminate();
    await editor.close();
    await expect.poll(() => idsOf(sessionId)).toEqual(['sdk']);
  });

  it('are gone when they are killed without a word, and when the gateway is', async () => {
    const editor = await openEditor();
    const { sessionId } = await editor.client.session({ route: 'acp:coder' });
    await editor.client.agent.request('session/attach', { sessionId, mode: 'controller' });
    const page = await openConsole(sessionId);
    await page.ask({ id: 'a', type: 'client_attach', session_id: sessionId, client_id: 'page' });
    await gateway.client.post(`/v1/sessions/${sessionId}/attach`, { client_id: 'sdk' });
    expect(await idsOf(sessionId)).toEqual(['editor', 'page', 'sdk']);
    editor.process.kill('SIGKILL');
    await expect.poll(() => idsOf(sessionId)).toEqual(['page', 'sdk']);
    expect((await sessionOf(sessionId)).live_controller_id).toBeNull();

    const second = await openEditor('second');
    await second.client.agent.request('session/load', { sessionId, cwd: '/work', mcpServers: [] });
    await second.client.agent.request('session/takeover', { sessionId });
    expect((await sessionOf(sessionId)).live_controller_id).toBe('second');
    await gateway.kill();
    gateway = await place.start();
    // A client without a connection is there until it says that it goes, or its session ends.
    expect(await idsOf(sessionId)).toEqual(['sdk']);
    expect(await sessionOf(sessionId)).toMatchObject({
      live_clients: [{ client_id: 'sdk', mode: 'observer' }],
      live_controller_id: null,
    });
    const third = await openEditor('second');
    await third.client.agent.request('session/load', { sessionId, cwd: '/work', mcpServers: [] });
    await expect.poll(() => idsOf(sessionId)).toEqual(['sdk', 'second']);
    await gateway.client.post(`/v1/sessions/${sessionId}/detach`, { client_id: 'sdk' });
    await third.close();
    await expect.poll(() => idsOf(sessionId)).toEqual([]);
  });
});
