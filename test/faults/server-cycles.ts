import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { ProcessGuard } from '#operation/process-guard.ts';
import { mcpBridge } from '../../bridges/mcp/index.ts';
import { scriptedMcpServer } from '../harness/scripted-mcp-server.ts';
import { bridgeDeps } from '../harness/upstream-stage.ts';
import { Report } from './report.ts';

/** Descriptors that come and go with the process itself. */
const SLACK = 1;

/** An MCP server on standard streams is started, lists its tools and is stopped, so many times: nothing of it is left. */
export async function serverCycles(cycles: number): Promise<Report> {
  const report = new Report();
  const mark = 'cycle-mark';
  const command = [...scriptedMcpServer(), mark];
  await serverCycle(command);
  const before = descriptors();
  for (let at = 0; at < cycles; at += 1) {
    const tools = await serverCycle(command);
    report.check(tools > 0, () => `cycle ${at}: the server listed no tools`);
    report.count('starts and stops of a stdio server');
  }
  const left = serverProcesses(mark);
  report.check(left.length === 0, () => `processes left: ${left.join('; ')}`);
  const after = descriptors();
  report.check(
    after <= before + SLACK,
    () => `${before} descriptors before, ${after} after ${cycles} cycles`,
  );
  return report;
}

/** The number of tools that a server listed between its start and its stop. */
export async function serverCycle(command: string[]): Promise<number> {
  const guard = new ProcessGuard({ warn: () => undefined });
  const [upstream] = mcpBridge.createClients([{ id: 'x', command }], bridgeDeps({ guard }));
  upstream?.start();
  for (let tries = 0; upstream?.describe() === undefined && tries < 1_000; tries += 1) await pause(5);
  const tools = upstream?.describe()?.skills.length ?? 0;
  await upstream?.close();
  return tools;
}

/** Processes whose command line has the mark, the gateway's children and theirs. */
export function serverProcesses(mark: string): string[] {
  const listed = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' });
  return listed.split('\n').filter((line) => line.includes(mark) && !line.includes('ps -eo'));
}

function descriptors(): number {
  return readdirSync('/proc/self/fd').length;
}
