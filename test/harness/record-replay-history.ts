/**
 * Records the history in fixtures/replay: three ended tasks of the sample agent as the store holds them, the public half of
 * the key that signed their receipts, and the receipts of their replays. A recorded history is never written again; a new one
 * gets a folder of its own: `node dist/test/harness/record-replay-history.js FOLDER`. With `rules` behind the folder it records
 * the runs of rules-history.ts instead, whose frames mean other things under other numbers of the rules.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dataPaths } from '#operation/data-directory.ts';
import { readRows } from '#receipts/key-files.ts';
import { openLevelStore } from '#store/level-store.ts';
import { startTestGateway } from './gateway.ts';
import { startSampleAgent } from './peers/sample-agent.ts';
import { playRulesRun, RULES_RUNS, startRulesAgents } from './rules-history.ts';
import { SAMPLE_RUNS } from './runs.ts';

const [folder = '', what = 'sample'] = process.argv.slice(2);
mkdirSync(folder);
const data = mkdtempSync(join(tmpdir(), 'harn-record-'));
const agent = what === 'rules' ? await startRulesAgents() : await sampleAgent();
const gateway = await startTestGateway({
  data,
  config: {
    upstreams: { a2a: agent.rows },
    receipts: { issuer: 'harness_recorded' },
  },
});
const tasks: Record<string, string | undefined> = {};
if (what === 'rules')
  for (const name of RULES_RUNS) tasks[name] = (await playRulesRun(gateway.client, name)).id;
else
  for (const name of ['stream', 'ask', 'fail']) tasks[name] = (await SAMPLE_RUNS[name]?.(gateway.client))?.id;
await gateway.close();
await agent.close();

const store = await openLevelStore({ path: dataPaths(data).store });
const lines: string[] = [];
for await (const page of store.entries({}))
  for (const [key, value] of page) lines.push(JSON.stringify([key, value.toString('base64')]));
await store.close();
const write = (name: string, text: string) => writeFileSync(join(folder, name), `${text}\n`);
write('history.jsonl', lines.join('\n'));
write('tasks.json', JSON.stringify(tasks, null, 2));
write('keys.json', JSON.stringify(readRows(dataPaths(data).keys)?.rows, null, 2));
rmSync(data, { recursive: true });

async function sampleAgent() {
  const { cardUrl, close } = await startSampleAgent();
  return { rows: [{ id: 'sample', card: cardUrl }], close };
}
