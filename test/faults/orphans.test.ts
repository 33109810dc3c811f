import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { AcpLauncher } from '../harness/acp-launcher.ts';
import { acpAgentCommand } from '../harness/acp-stage.ts';
import { GatewayPlace } from './gateway-process.ts';

/** Far more than the steps of ending a group take together. */
const PATIENCE = { timeout: 30_000, interval: 50 };

/** Ids of processes whose command line holds the mark. */
function marked(mark: string): number[] {
  const listed = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
  return listed.split('\n').flatMap((line) => (line.includes(mark) ? [Number.parseInt(line, 10)] : []));
}

/** KB of memory of the children of a process that run the program of the guard. */
function memoryOfGuards(parent: number | undefined): number[] {
  const listed = execFileSync('ps', ['-eo', 'ppid=,rss=,args='], { encoding: 'utf8' });
  return listed.split('\n').flatMap((line) => {
    const [ppid, rss, command] = line.trim().split(/\s+/);
    return Number(ppid) === parent && command === '/bin/sh' ? [Number(rss)] : [];
  });
}

/** A program behind a shell, as npx is one, which hears neither SIGTERM nor the end of its input. */
function deaf(mark: string): string[] {
  const script = "process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1000)";
  return ['sh', '-c', `"${process.execPath}" -e "${script}" ${mark}; true`];
}

describe('a gateway that is killed leaves nobody behind', () => {
  it('[ACP-USER-09] neither an agent nor a server that hear no signal, nor what they started', async () => {
    const mark = `deaf-${process.pid}`;
    const at = new GatewayPlace({
      upstreams: {
        a2a: [],
        acp: [{ id: 'coder', command: acpAgentCommand('--deaf', mark) }],
        mcp: [{ id: 'tools', command: deaf(mark) }],
      },
    });
    const gateway = await at.start();
    const { client } = gateway;
    const task = await client.submit('hello', undefined, { route: 'acp:coder' });
    await client.until(task.id, 'COMPLETED');
    await vi.waitUntil(() => marked(mark).length >= 3, PATIENCE);
    // One guard for all of them, of 3 MB at most.
    const guards = memoryOfGuards(gateway.child.process.pid);
    expect(guards).toHaveLength(1);
    expect(guards[0]).toBeLessThanOrEqual(3 * 1024);
    await gateway.kill();
    await vi.waitUntil(() => marked(mark).length === 0, PATIENCE);
    at.remove();
  });

  it('nor does a launcher that is killed leave the gateway it has started', async () => {
    const home = mkdtempSync(join(tmpdir(), 'harn-home-'));
    const data = join(home, 'data');
    const launcher = new AcpLauncher(['--data', data], { HOME: home });
    await launcher.client.begin();
    const gateway = `serve --quiet --unlisted --data ${data}`;
    expect(marked(gateway)).toHaveLength(1);
    launcher.process.kill('SIGKILL');
    await launcher.ended;
    await vi.waitUntil(() => marked(gateway).length === 0, PATIENCE);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });
});
