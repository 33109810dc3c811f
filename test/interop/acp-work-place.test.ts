import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AcpClient, type AcpClientOptions } from '../harness/acp-client.ts';
import { acpAgentCommand } from '../harness/acp-stage.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';

const TAKES_ALL = { capabilities: { session: { notices: {}, compaction: {} } } };

describe('where an ACP agent works for an editor', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'harn-place-')));
  const project = join(base, 'projects', 'shop');
  const lib = join(base, 'projects', '..lib');
  const outside = join(base, 'elsewhere');
  const link = join(base, 'projects', 'link');
  const file = join(base, 'projects', 'file');
  let gateway: TestGateway;
  const open: AcpClient[] = [];

  beforeAll(async () => {
    for (const directory of [project, lib, outside]) mkdirSync(directory, { recursive: true });
    symlinkSync(outside, link);
    writeFileSync(file, 'no directory');
    gateway = await startTestGateway({
      config: {
        upstreams: {
          acp: [
            {
              id: 'rooted',
              command: acpAgentCommand(),
              client_cwd: true,
              client_roots: [join(base, 'projects')],
            },
            { id: 'free', command: acpAgentCommand(), client_cwd: true },
            { id: 'own', command: acpAgentCommand(), cwd: outside },
            { id: 'plain', command: acpAgentCommand() },
          ],
        },
      },
    });
  });
  afterEach(() => {
    for (const client of open.splice(0)) client.close();
  });
  afterAll(async () => {
    await gateway.close();
    rmSync(base, { recursive: true });
  });

  async function editor(options: AcpClientOptions = TAKES_ALL): Promise<AcpClient> {
    const client = await AcpClient.overSocket(gateway.url, gateway.client.key, options);
    open.push(client);
    return client;
  }

  async function session(client: AcpClient, agent: string, cwd: string, more?: string[]): Promise<string> {
    const { sessionId } = await client.agent.request('session/new', {
      cwd,
      mcpServers: [],
      ...(more === undefined ? {} : { additionalDirectories: more }),
      _meta: { harn: { route: `acp:${agent}` } },
    });
    return sessionId;
  }

  const notices = ({ updates }: AcpClient) =>
    updates.flatMap(({ update }) => (update.sessionUpdate === 'notice' ? [update] : []));

  it('[ACP-USER-21] the directories of the editor are those of the agent, where the operator lets it', async () => {
    const client = await editor();
    await client.prompt(await session(client, 'rooted', project, [lib]), 'cwd');
    expect(client.text()).toBe(`${project} ${lib}`);
    expect(notices(client)).toEqual([]);
  });

  it.each([
    ['that is outside of the roots', 'rooted', outside],
    ['that leads out of them by a link', 'rooted', link],
    ['that leads out of them by its name', 'rooted', `${project}/../../elsewhere`],
    ['that is a file', 'free', file],
    ['that is not there', 'free', join(base, 'nowhere')],
    ['where the operator has not let it', 'plain', project],
  ])('a directory %s is not used, and its user is told once', async (_which, agent, cwd) => {
    const client = await editor();
    const sessionId = await session(client, agent, cwd);
    await client.prompt(sessionId, 'cwd');
    expect(client.text()).toMatch(/^\//);
    expect(client.text()).not.toContain(cwd);
    await client.prompt(sessionId, 'cwd');
    expect(notices(client)).toMatchObject([
      { severity: 'warning', description: expect.stringContaining(cwd) },
    ]);
    const second = await editor();
    await second.agent.request('session/load', { sessionId, cwd, mcpServers: [] });
    expect(notices(second)).toEqual([]);
  });

  it('a directory besides is left out where it may not be used, and that is said', async () => {
    const client = await editor();
    await client.prompt(await session(client, 'rooted', project, [lib, outside]), 'cwd');
    expect(client.text()).toBe(`${project} ${lib}`);
    expect(notices(client)).toMatchObject([{ description: expect.stringContaining(outside) }]);
    expect(notices(client)[0]?.description).not.toContain(lib);
  });

  it('a session that was made elsewhere gets the directory of the first editor that opens it', async () => {
    const session = await gateway.client.session({ route: 'acp:rooted' });
    const client = await editor();
    const load = (cwd: string) =>
      client.agent.request('session/load', { sessionId: session.id, cwd, mcpServers: [] });
    await load(project);
    await load(lib);
    await client.prompt(session.id, 'cwd');
    expect(client.text()).toBe(project);
    const { sessions } = await client.agent.request('session/list', { cwd: project });
    expect(sessions.map(({ sessionId }) => sessionId)).toContain(session.id);
  });

  it('the agent’s own directory is where it works without that; whoever names it is told nothing', async () => {
    const client = await editor();
    await client.prompt(await session(client, 'own', outside), 'cwd');
    expect(client.text()).toBe(outside);
    expect(notices(client)).toEqual([]);
  });

  it('an editor that takes no notices reads them among the thoughts', async () => {
    const client = await editor({});
    await client.prompt(await session(client, 'plain', project), 'cwd');
    expect(notices(client)).toEqual([]);
    expect(client.text('agent_thought_chunk')).toContain(project);
  });

  it('notices and compactions of an agent reach the editors that take them, and nobody else', async () => {
    const client = await editor();
    const sessionId = await session(client, 'own', outside);
    await client.prompt(sessionId, 'announce');
    const about = ['notice', 'compaction_update', 'compaction_summary_chunk', 'compaction_update'];
    expect(client.kinds().filter((kind) => about.includes(kind))).toEqual(about);
    // A notice is no history; a compaction is.
    const second = await editor();
    await second.agent.request('session/load', { sessionId, cwd: outside, mcpServers: [] });
    expect(second.kinds().filter((kind) => about.includes(kind))).toEqual(about.slice(1));
    const plain = await editor({});
    await plain.prompt(await session(plain, 'own', outside), 'announce');
    expect(plain.kinds().filter((kind) => about.includes(kind))).toEqual([]);
    expect(plain.text('agent_thought_chunk')).toBe('The model is slow today: Have patience.');
  });
});
