import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkData, systemClock, systemRandom } from '#compose/compose.ts';
import type { Session } from '#resources/session/schema.ts';
import { startTestGateway, type TestGateway } from '../../harness/gateway.ts';
import { ToolClient } from '../../harness/tool-client.ts';
import { append, textsOf, transcriptOf } from '../../harness/transcripts.ts';

/** A transcript as its rules describe it: turns, how many are archived, and from where on they wait to be sent. */
interface Model {
  id: string;
  turns: string[];
  archived: number;
  waitingFrom: number | undefined;
}

type Step =
  | { kind: 'append' | 'task' | 'fork' }
  | { kind: 'compact'; keep: number }
  | { kind: 'truncate'; keep: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ kind: 'append' } as const) },
  { weight: 3, arbitrary: fc.constant({ kind: 'task' } as const) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('compact' as const), keep: fc.nat(6) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('truncate' as const), keep: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'fork' } as const) },
);
const RUNS = fc.sample(fc.array(step, { minLength: 25, maxLength: 25 }), { seed: 9, numRuns: 4 });

describe('transcripts against a model', () => {
  const data = mkdtempSync(join(tmpdir(), 'harn-transcript-model-'));
  let gateway: TestGateway;
  let said = 0;
  beforeAll(async () => {
    gateway = await startTestGateway({ data, extraClients: [new ToolClient()] });
  });
  afterAll(() => rmSync(data, { recursive: true, force: true }));

  async function apply(model: Model, one: Step): Promise<void> {
    const path = `/v1/sessions/${model.id}`;
    if (one.kind === 'append') {
      said += 1;
      await append(gateway.client, model.id, `turn ${said}`);
      model.waitingFrom ??= model.turns.length;
      model.turns.push(`turn ${said}`);
    } else if (one.kind === 'task') {
      const body = { input: { steps: [] }, metadata: { route: 'fake:tools' } };
      const task = await gateway.client.post<{ id: string }>(`${path}/tasks`, body);
      await gateway.client.until(task.id, 'COMPLETED');
      model.turns.push('json');
      model.waitingFrom = undefined;
    } else if (one.kind === 'compact') {
      await gateway.client.post(`${path}/compact`, { keep_last: one.keep });
      const wanted = Math.min(model.turns.length - one.keep, model.waitingFrom ?? model.turns.length);
      model.archived = Math.max(model.archived, wanted);
    } else if (one.kind === 'truncate') {
      await gateway.client.post(`${path}/truncate`, { keep_first: one.keep });
      if (one.keep < model.archived) model.archived = 0;
      model.turns = model.turns.slice(0, one.keep);
      if (model.waitingFrom !== undefined && model.waitingFrom >= one.keep) model.waitingFrom = undefined;
    } else {
      model.id = (await gateway.client.post<Session>(`${path}/fork`, {})).id;
      model.waitingFrom = undefined;
    }
  }

  it.each(RUNS.map((steps, at) => [at, steps] as const))(
    'run %i of appends, tasks, compactions, truncations and forks comes out as the model says',
    async (_at, steps) => {
      const { id } = await gateway.client.session();
      const model: Model = { id, turns: [], archived: 0, waitingFrom: undefined };
      for (const one of steps) {
        await apply(model, one);
        const read = await transcriptOf(gateway.client, model.id);
        expect(textsOf(read), JSON.stringify(one)).toEqual(model.turns.slice(model.archived));
        expect(read.messages[0]?.position ?? model.archived).toBe(model.archived);
        expect(read.summary === null).toBe(model.archived === 0);
        const session = await gateway.client.get<Session>(`/v1/sessions/${model.id}`);
        expect(session.transcript['message_count']).toBe(model.turns.length);
      }
    },
    60_000,
  );

  it('log check then finds every fold as the events make it', async () => {
    await gateway.close();
    const findings = [];
    for await (const found of checkData(data, systemClock, systemRandom))
      if (found.kind === 'finding') findings.push(found.finding);
    expect(findings).toEqual([]);
  });
});
