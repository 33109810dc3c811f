import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { authorizedFetch } from '../harness/a2a-client.ts';
import { acpAgentCommand } from '../harness/acp-stage.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import { mcpServers } from '../harness/mcp-servers.ts';
import { all, type Driver, driver03, driver10, next, words } from './a2a-drivers.ts';
import { type PushClient, push03, push10 } from './a2a-push-clients.ts';

type Connect = (url: string, fetchImpl: typeof fetch) => Promise<Driver>;
const CLIENTS: readonly (readonly [string, Connect, PushClient])[] = [
  ['1.3 client, JSON-RPC', (url, fetchImpl) => driver10(url, 'JSONRPC', fetchImpl), push10('JSONRPC')],
  ['1.3 client, HTTP+JSON', (url, fetchImpl) => driver10(url, 'HTTP+JSON', fetchImpl), push10('HTTP+JSON')],
  ['0.3 client', driver03, push03],
];

const PERSONA = {
  name: 'Clerk',
  version: '7',
  description: 'Reads files for you.',
  autonomy_tier: 'act_auto',
  receipt_policy: 'optional',
  owner: null,
  model_policy: {},
  rollout_policy: {},
  quota_id: null,
};

describe('agents that speak no A2A themselves, called by real A2A clients', () => {
  let gateway: TestGateway;
  let root: string;
  let authorized: typeof fetch;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'harn-a2a-kinds-'));
    writeFileSync(join(root, 'note.txt'), 'from the file');
    mkdirSync(join(root, 'personas'));
    const written = { id: 'librarian', ...PERSONA, name: 'Librarian', entry_workflow: 'mcp:files' };
    writeFileSync(join(root, 'personas', 'librarian.yaml'), stringify(written));
    gateway = await startTestGateway({
      config: {
        personas: { dir: join(root, 'personas') },
        limits: { cancel_wait_ms: 60_000 },
        outbound: { allow: ['127.0.0.1'] },
        upstreams: {
          a2a: [],
          acp: [{ id: 'coder', command: acpAgentCommand(), cwd: root }],
          mcp: [
            { id: 'files', command: mcpServers.filesystem(root), tools: { approve: ['write_file'] } },
            { id: 'every', command: mcpServers.everything(), interactive: true },
          ],
        },
      },
    });
    authorized = authorizedFetch(gateway);
    for (const id of ['files', 'every'])
      while ((await card(id)).skills.length === 0) await new Promise((resolve) => setTimeout(resolve, 25));
  });
  afterAll(async () => {
    await gateway.close();
    rmSync(root, { recursive: true, force: true });
  });

  async function card(agent: string, fetchImpl: typeof fetch = fetch) {
    const answer = await fetchImpl(`${gateway.url}/a2a/${agent}/.well-known/agent-card.json`);
    return (await answer.json()) as {
      name: string;
      version: string;
      skills: { id: string }[];
      supportedInterfaces: { url: string }[];
      signatures: object[];
    };
  }
  const at = (agent: string, connect: Connect) => connect(`${gateway.url}/a2a/${agent}/`, authorized);

  describe.each(CLIENTS)('%s', (_, connect, push) => {
    it('runs a turn of an ACP agent, streamed and blocking', async () => {
      const client = await at('coder', connect);
      const seen = await all(client.stream('stream 3'));
      expect([seen[0], seen.at(-1)].map((event) => event && words(event))).toEqual([
        'task working',
        'status completed',
      ]);
      expect(seen.map(({ text }) => text ?? '').join('')).toContain('piece 3');
      expect(words(await client.send('refuse'))).toBe('task failed');
    });

    it('decides what an ACP agent asks permission for: auth-required, by option and by word', async () => {
      const client = await at('coder', connect);
      const asked = await client.send('edit');
      expect(asked).toMatchObject({
        state: 'auth-required',
        text: 'Write notes.txt',
        data: [{ kind: 'tool', options: [{ option_id: 'yes' }, { option_id: 'no' }] }],
      });
      await expect(client.send('perhaps', asked.taskId)).rejects.toThrow(/yes, no/);
      expect(await client.send({ option_id: 'yes' }, asked.taskId)).toMatchObject({
        state: 'completed',
        text: 'option yes',
      });
      const again = await client.send('edit');
      expect(await client.send('no', again.taskId)).toMatchObject({ text: 'option no' });
    });

    it('answers the question of an ACP agent: input-required, by fields', async () => {
      const client = await at('coder', connect);
      const asked = await client.send('ask');
      expect(asked).toMatchObject({ state: 'input-required', text: 'Which colour?' });
      expect(await client.send({ colour: 'green' }, asked.taskId)).toMatchObject({
        state: 'completed',
        text: 'accept {"colour":"green"}',
      });
    });

    it('cancels a turn of an ACP agent', async () => {
      const client = await at('coder', connect);
      const work = client.stream('slow 600');
      const { value } = await work.next();
      expect(words(await client.cancel(value?.taskId ?? ''))).toBe('task canceled');
      expect((await all(work)).map(words).at(-1)).toBe('status canceled');
      // The agent said so itself, although it was canceled while its session was being made.
      const events = await gateway.client.events(`/v1/tasks/${value?.taskId}/events`);
      const end = events.find(({ event }) => event === 'task.canceled');
      expect(end?.payload).toMatchObject({ material: expect.stringContaining('acp:coder') });
    });

    it('calls a tool of an MCP server by the id of its skill', async () => {
      const client = await at('files', connect);
      const input = { path: join(root, 'note.txt') };
      const read = { state: 'completed', text: expect.stringContaining('from the file') };
      expect(await client.send({ skill_id: 'files__read_text_file', input })).toMatchObject(read);
      const { id } = (await card('files')).skills.find((skill) => skill.id.includes('read_text')) ?? {
        id: '',
      };
      expect(await client.send({ skill_id: id, input })).toMatchObject(read);
      expect(await client.send(JSON.stringify({ skill_id: id, input }))).toMatchObject(read);
      const misfit = client.send({ skill_id: 'files__read_text_file', input: { path: 7 } });
      await expect(misfit).rejects.toThrow('input.input.path: must be string.');
    });

    it('approves the call of an MCP tool that needs it, and denies another', async () => {
      const client = await at('files', connect);
      const path = join(root, `written-${Math.random()}.txt`);
      const call = { skill_id: 'files__write_file', input: { path, content: 'approved' } };
      const denied = await client.send(call);
      expect(denied.state).toBe('auth-required');
      expect(['canceled', 'rejected', 'failed']).toContain((await client.send('no', denied.taskId)).state);
      expect(() => readFileSync(path)).toThrow('ENOENT');
      const asked = await client.send(call);
      expect(words(await client.send('yes', asked.taskId))).toBe('task completed');
      expect(readFileSync(path, 'utf8')).toBe('approved');
    });

    it('answers the form that an MCP server shows', async () => {
      const client = await at('every', connect);
      const asked = await client.send({ skill_id: 'every__trigger-elicitation-request', input: {} });
      expect(asked.state).toBe('input-required');
      const done = await client.send({ name: 'Ada', email: 'ada@example.com', check: true }, asked.taskId);
      expect(done).toMatchObject({ state: 'completed', text: expect.stringContaining('Ada') });
    });

    it('reads, lists, follows and cancels tasks, keeps push configs, and reads the extended card, at either', async () => {
      for (const [agent, said, until] of [
        ['coder', 'ask', 'input-required'],
        [
          'files',
          { skill_id: 'write_file', input: { path: join(root, 'x'), content: 'x' } },
          'auth-required',
        ],
      ] as const) {
        const client = await at(agent, connect);
        const { taskId, contextId, state } = await client.send(said);
        expect(state).toBe(until);
        expect(await client.get(taskId)).toMatchObject({ taskId, contextId, state });
        const listed =
          client.list === undefined ? [taskId] : (await client.list(contextId)).map((it) => it.taskId);
        expect(listed).toEqual([taskId]);
        const url = 'http://127.0.0.1:9/hook';
        const round = { made: url, read: url, listed: ['mine'], left: [] };
        expect(await push(`${gateway.url}/a2a/${agent}/`, authorized, taskId)).toEqual(round);
        const followed = client.resubscribe(taskId);
        expect(words(await next(followed))).toBe(`task ${until}`);
        await client.cancel(taskId);
        expect((await all(followed)).map(words).at(-1)).toBe('status canceled');
        expect(await client.cardName()).toBe((await card(agent)).name);
      }
    });

    it('finds a persona by its card, and works with it', async () => {
      const persona = await gateway.client.post<{ id: string }>('/v1/personas', {
        ...PERSONA,
        entry_workflow: 'acp:coder',
      });
      const client = await at(persona.id, connect);
      const done = await client.send('stream 1');
      expect(done).toMatchObject({ state: 'completed' });
      expect((await client.get(done.taskId)).taskId).toBe(done.taskId);
    });
  });

  it('a persona that callers made has a signed card, for those who may read the persona', async () => {
    const { id } = await gateway.client.post<{ id: string }>('/v1/personas', {
      ...PERSONA,
      entry_workflow: 'mcp:files',
    });
    const mine = await card(id, authorized);
    expect(mine).toMatchObject({ name: 'Clerk', version: '7', signatures: [{}, {}, {}] });
    expect(mine.supportedInterfaces[0]?.url).toBe(`${gateway.url}/a2a/${id}`);
    expect(mine.skills.map((skill) => skill.id)).toContain('read_text_file');
    const path = `${gateway.url}/a2a/${id}/.well-known/agent-card.json`;
    const absent = `${gateway.url}/a2a/persona_none/.well-known/agent-card.json`;
    expect([(await fetch(path)).status, (await authorized(absent)).status]).toEqual([404, 404]);
    const wrong = { headers: { authorization: 'Bearer harn_wrong' } };
    expect((await fetch(path, wrong)).status).toBe(401);
  });

  it('a persona that the operator wrote down has a card for everybody, as agents have', async () => {
    const found = await card('librarian');
    expect(found).toMatchObject({ name: 'Librarian', signatures: [{}, {}, {}] });
    expect(found.supportedInterfaces[0]?.url).toBe(`${gateway.url}/a2a/librarian`);
    const client = await driver10(`${gateway.url}/a2a/librarian/`, 'JSONRPC', authorized);
    const input = { path: join(root, 'note.txt') };
    expect(await client.send({ skill_id: 'read_text_file', input })).toMatchObject({ state: 'completed' });
  });

  it('the card of a server that was reached lists its tools as skills, and every agent has one', async () => {
    for (const id of ['coder', 'files', 'every']) {
      const found = await card(id);
      expect(found.supportedInterfaces[0]?.url).toBe(`${gateway.url}/a2a/${id}`);
      expect(found.signatures).toHaveLength(3);
    }
    expect((await card('files')).skills.map(({ id }) => id)).toContain('write_file');
  });
});
