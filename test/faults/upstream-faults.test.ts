import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Task } from '#resources/task/schema.ts';
import { artifactFrame, statusFrame, taskFrame } from '../harness/a2a-words.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';
import type { Peer } from '../harness/peers/peer.ts';
import { startSampleAgent } from '../harness/peers/sample-agent.ts';
import { type Action, body, rpcError, type Script, socket, stream } from '../harness/peers/script.ts';
import { startScriptedAgent } from '../harness/peers/scripted-agent.ts';

const LIMITS = {
  first_frame_timeout_ms: 400,
  idle_timeout_ms: 400,
  max_frame_bytes: 100_000,
  max_response_bytes: 150_000,
};

const begun = [taskFrame('WORKING'), artifactFrame('part ', false)] as const;

interface Row {
  /** What the agent does. */
  script: Script;
  failure?: object;
  /** Text of the artifact that is left; undefined where there is none. */
  left?: string;
}

const GONE = { code: 'upstream_unavailable', type: 'upstream_error' };
const LATE = { code: 'deadline_exceeded', type: 'upstream_error' };
const streaming = (...actions: Action[]): Script => ({ SendStreamingMessage: stream(...actions) });

const ROWS: Record<string, Row> = {
  'hangs without a word': { script: streaming({ hang: true }), failure: LATE },
  'takes the connection and is silent': {
    script: { SendStreamingMessage: socket({ hang: true }) },
    failure: LATE,
  },
  'drips bytes and never a frame': {
    script: streaming({ drip: 'data: '.repeat(200), everyMs: 10 }, { hang: true }),
    failure: LATE,
  },
  'falls silent in the middle': { script: streaming(...begun, { hang: true }), failure: LATE, left: 'part ' },
  'drips in the middle': {
    script: streaming(...begun, { drip: 'data: '.repeat(200), everyMs: 10 }, { hang: true }),
    failure: LATE,
    left: 'part ',
  },
  'dies in the middle': {
    script: streaming(...begun, { delayMs: 100 }, { reset: true }),
    failure: GONE,
    left: 'part ',
  },
  'ends in the middle': { script: streaming(...begun), failure: GONE, left: 'part ' },
  'sends what is no JSON': {
    script: streaming(...begun, { send: 'data: {"a":\n\n' }),
    failure: GONE,
    left: 'part ',
  },
  'sends duplicate members': {
    script: streaming(...begun, { send: 'data: {"result":1,"result":2}\n\n' }),
    failure: GONE,
    left: 'part ',
  },
  'sends what is no UTF-8': {
    script: streaming(...begun, { send: Buffer.from('data: "\xff"\n\n', 'latin1') }),
    failure: GONE,
    left: 'part ',
  },
  'does not speak HTTP': {
    script: { SendStreamingMessage: socket({ send: 'HELLO\r\n\r\n' }) },
    failure: GONE,
  },
  'answers with a page': {
    script: { SendStreamingMessage: body('text/html', { send: '<p>no</p>' }) },
    failure: GONE,
  },
  'sends a line without end': {
    script: streaming(...begun, { send: 'data: ' }, { flood: 300_000 }, { hang: true }),
    failure: { code: 'payload_too_large' },
    left: 'part ',
  },
  'sends frames without end': {
    script: streaming(...begun, { send: `data: {"x":"${'y'.repeat(500)}"}\n\n`.repeat(400) }, { hang: true }),
    failure: { code: 'payload_too_large' },
    left: 'part ',
  },
  'refuses the call': { script: { SendStreamingMessage: rpcError(-32603, 'No.') }, failure: GONE },
  'is in a state nobody knows, then completes': {
    script: streaming(
      taskFrame('WORKING'),
      statusFrame('DREAMING'),
      artifactFrame('all', false, true),
      statusFrame('COMPLETED'),
    ),
    left: 'all',
  },
  'says everything twice, also after the end': {
    script: streaming(
      taskFrame('WORKING'),
      taskFrame('WORKING'),
      artifactFrame('all', false, true),
      statusFrame('COMPLETED'),
      statusFrame('COMPLETED'),
      statusFrame('FAILED', 'too late'),
      artifactFrame('too late', false, true),
    ),
    left: 'all',
  },
};

const NAMES = Object.keys(ROWS);
const routeOf = (name: string): string => `a2a:fault-${NAMES.indexOf(name)}`;
const peers: Peer[] = [];
let gateway: TestGateway;

beforeAll(async () => {
  for (const { script } of Object.values(ROWS)) peers.push(await startScriptedAgent(script));
  const gone = await startScriptedAgent({});
  await gone.close();
  const sample = await startSampleAgent();
  const rows = peers.map(({ cardUrl }, at) => ({ id: `fault-${at}`, card: cardUrl, limits: { ...LIMITS } }));
  const others = [
    { id: 'gone', card: gone.cardUrl },
    { id: 'sample', card: sample.cardUrl },
  ];
  peers.push(sample);
  gateway = await startTestGateway({ config: { upstreams: { a2a: [...rows, ...others] } } });
});
afterAll(async () => {
  await gateway.close();
  await Promise.all(peers.map((peer) => peer.close()));
});

const submit = (route: string, text = 'go') => gateway.client.submit(text, undefined, { route });

async function artifactText(task: Task): Promise<string | undefined> {
  const { data } = await gateway.client.get<{ data: { id: string }[] }>(`/v1/artifacts?task_id=${task.id}`);
  const [artifact] = data;
  if (artifact === undefined) return undefined;
  return (await gateway.client.call('GET', `/v1/artifacts/${artifact.id}/content`)).text;
}

describe('an agent (U-01 to U-08, L-03)', () => {
  it.each(NAMES)(
    'that %s ends its task typed and once, keeps what had come, and disturbs no other',
    async (name) => {
      const row = ROWS[name] as Row;
      const [task, other] = await Promise.all([submit(routeOf(name)), submit('a2a:sample', 'stream 3')]);
      const ended = await gateway.client.until(task.id, 'COMPLETED', 'FAILED', 'CANCELED');
      expect(ended.status).toBe(row.failure === undefined ? 'COMPLETED' : 'FAILED');
      if (row.failure) expect(ended.failure).toMatchObject(row.failure);
      expect(await artifactText(ended)).toBe(row.left);
      const events = await gateway.client.events(`/v1/tasks/${task.id}/events`);
      const ends = events.filter(({ event }) => /^task\.(completed|failed|canceled)$/.test(event));
      expect(ends).toHaveLength(1);
      const outcome = await gateway.client.get(`/v1/outcomes/${ended.outcome_id}`);
      expect(outcome).toMatchObject({ status: row.failure === undefined ? 'SUCCEEDED' : 'FAILED' });
      expect((await gateway.client.until(other.id, 'COMPLETED')).status).toBe('COMPLETED');
    },
  );

  it('that refuses connections fails its task as upstream_unavailable', async () => {
    const ended = await gateway.client.until((await submit('a2a:gone')).id, 'FAILED');
    expect(ended.failure).toMatchObject({ ...GONE, details: { reason: 'refused' } });
  });

  it('that is dead does not hold up a hundred tasks of another', async () => {
    const dead = await Promise.all(
      Array.from({ length: 100 }, () => submit(routeOf('hangs without a word'))),
    );
    const alive = await Promise.all(Array.from({ length: 20 }, () => submit('a2a:sample', 'stream 2')));
    for (const { id } of alive) await gateway.client.until(id, 'COMPLETED');
    for (const { id } of dead) expect((await gateway.client.until(id, 'FAILED')).failure).toMatchObject(LATE);
  });
});
