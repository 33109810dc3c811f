import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AgentCard } from '@a2a-js/sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PACKAGE_ROOT } from '../faults/child-processes.ts';
import { GatewayPlace, type GatewayProcess } from '../faults/gateway-process.ts';
import { startTestGateway } from '../harness/gateway.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';

const PATIENCE = { timeout: 20_000, interval: 50 };
const CARD = join(PACKAGE_ROOT, 'config', 'sample-agent', 'card.json');
/** Nothing is configured, so the bundled agent is fronted. */
const BUNDLED = { upstreams: { a2a: undefined as unknown as object } };

const open: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Ids of the sample agents that a process has started. */
function samplesOf(parent: number | undefined): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent && commandOf(pid).includes('sample-agent'));
}

function parentOf(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return stat === undefined ? undefined : Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

const commandOf = (pid: number) => read(`/proc/${pid}/cmdline`) ?? '';

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // It has ended meanwhile.
  }
}

async function startGateway(): Promise<GatewayProcess> {
  const at = new GatewayPlace(BUNDLED);
  open.push(() => at.remove());
  const gateway = await at.start();
  open.push(() => gateway.kill());
  return gateway;
}

async function complete({ client }: GatewayProcess, text: string): Promise<void> {
  const task = await client.submit(text);
  await client.until(task.id, 'COMPLETED');
}

describe.skipIf(process.platform !== 'linux')('the bundled agent of a gateway process', () => {
  it('is known before it runs, starts with the first task, and serves the later ones', async () => {
    const gateway = await startGateway();
    const { pid } = gateway.child.process;
    const { data } = await gateway.client.get<{ data: object[] }>('/v1/agents');
    expect(data).toMatchObject([{ id: 'sample', name: 'Sample agent', card_state: 'current' }]);
    const card = await gateway.client.get<{ skills: object[] }>('/a2a/sample/.well-known/agent-card.json');
    expect(card.skills).toHaveLength(9);
    expect((await gateway.client.call('GET', '/ready')).status).toBe(200);
    expect(samplesOf(pid)).toEqual([]);
    await complete(gateway, 'stream 3');
    const first = samplesOf(pid);
    expect(first).toHaveLength(1);
    await complete(gateway, 'two words');
    expect(samplesOf(pid)).toEqual(first);
  });

  it('is started again with the next task when it has ended', async () => {
    const gateway = await startGateway();
    const { pid } = gateway.child.process;
    await complete(gateway, 'stream 1');
    const first = samplesOf(pid);
    for (const sample of first) process.kill(sample, 'SIGKILL');
    await vi.waitUntil(() => gateway.child.stderr.includes('the sample agent has ended'), PATIENCE);
    await complete(gateway, 'stream 1');
    expect(samplesOf(pid)).toHaveLength(1);
    expect(samplesOf(pid)).not.toEqual(first);
  });

  it('ends with the gateway, also with one that is killed', async () => {
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const gateway = await startGateway();
      await complete(gateway, 'stream 1');
      const [sample = 0] = samplesOf(gateway.child.process.pid);
      expect(commandOf(sample)).toContain('sample-agent');
      await gateway.child.end(signal);
      await vi.waitUntil(() => !commandOf(sample).includes('sample-agent'), PATIENCE);
    }
  });
});

describe('a bundled agent that does not start', () => {
  it('fails the task and says why, and is tried again with the next one', async () => {
    const packageRoot = mkdtempSync(join(tmpdir(), 'harn-package-'));
    open.push(() => rmSync(packageRoot, { recursive: true, force: true }));
    cpSync(CARD, join(packageRoot, 'config', 'sample-agent', 'card.json'));
    const entry = join(packageRoot, 'dist', 'bundle', 'sample-agent.js');
    mkdirSync(join(entry, '..'), { recursive: true });
    writeFileSync(entry, "console.error('no room left'); process.exit(3)");
    const gateway = await startTestGateway({ config: { upstreams: {} }, packageRoot });
    open.push(() => gateway.close());
    const { client } = gateway;
    const failed = await client.submit('hello');
    await client.until(failed.id, 'FAILED');
    expect(await client.get(`/v1/tasks/${failed.id}`)).toMatchObject({
      failure: {
        code: 'upstream_unavailable',
        message: 'The bundled sample agent did not start: it ended with code 3.',
      },
    });
    expect(gateway.logText()).toContain('no room left');
    const agent = await startSampleAgent();
    open.push(() => agent.close());
    writeFileSync(entry, `console.log(JSON.stringify({ url: '${agent.url}' })); process.stdin.resume();`);
    const task = await client.submit('stream 1');
    await client.until(task.id, 'COMPLETED');
  });
});

describe('the card of the bundled agent before it runs', () => {
  it('is the one that it serves, but for the address', async () => {
    const agent = await startSampleAgent();
    open.push(() => agent.close());
    const served = await (await fetch(agent.cardUrl, { headers: { 'A2A-Version': '1.0' } })).json();
    const known = readFileSync(CARD, 'utf8').replaceAll('http://sample-agent.localhost', agent.url);
    expect(AgentCard.fromJSON(served)).toEqual(AgentCard.fromJSON(JSON.parse(known)));
  });
});
