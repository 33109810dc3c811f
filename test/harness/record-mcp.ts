import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import type { JsonObject } from '#protocol/json.ts';
import type { Frame, Move, PermissionAnswer, ProtocolClient, Turn } from '#protocol-client.ts';
import { asRecord } from '../../bridges/mcp/client/interpret.ts';
import { mcpBridge } from '../../bridges/mcp/index.ts';
import { PACKAGE_ROOT } from '../faults/child-processes.ts';
import { startModernFixture } from './conformance-mcp-modern.ts';
import { mcpServers } from './mcp-servers.ts';
import { Past } from './past.ts';
import { bridgeDeps } from './upstream-stage.ts';

/**
 * Records what server-everything, and our server of the revision without sessions, answer, with the moves it means:
 * `node dist/test/harness/record-mcp.js`. A recording that is there already is never made again; a new behaviour is a new
 * file.
 */
const FIXTURES = `${PACKAGE_ROOT}fixtures/wire/mcp`;

/** What is called, and how a question is answered. */
interface Story {
  tool: string;
  input: JsonObject;
  answer?: JsonObject;
  /** The gateway is stopped after the first record of this type, and another one takes the call up. */
  cutAfter?: 'asked' | 'task';
}

const EVERYTHING: Record<string, Story> = {
  echo: { tool: 'echo', input: { message: 'hello' } },
  structured: { tool: 'get-structured-content', input: { location: 'Chicago' } },
  image: { tool: 'get-tiny-image', input: {} },
  annotated: { tool: 'get-annotated-message', input: { messageType: 'error', includeImage: true } },
  links: { tool: 'get-resource-links', input: { count: 2 } },
  resource: { tool: 'get-resource-reference', input: { resourceType: 'Text', resourceId: 1 } },
  progress: { tool: 'trigger-long-running-operation', input: { duration: 0.6, steps: 3 } },
  roots: { tool: 'get-roots-list', input: {} },
  accept: { tool: 'trigger-elicitation-request', input: {}, answer: { name: 'Ada' } },
  decline: { tool: 'trigger-elicitation-request', input: {}, answer: { action: 'decline' } },
  misfit: { tool: 'get-sum', input: { a: 1 } },
  unknown: { tool: 'no-such-tool', input: {} },
};

const SEALED = { tool: 'test_input_required_result_request_state', input: {}, answer: { ok: true } };
const SLOW = { tool: 'slow_compute', input: { seconds: 0.2, label: 'x' } };

const STATELESS: Record<string, Story> = {
  round: SEALED,
  resumed: { ...SEALED, cutAfter: 'asked' },
  task: SLOW,
  followed: { ...SLOW, cutAfter: 'task' },
  confirm: { tool: 'confirm_delete', input: { filename: 'x.txt' }, answer: { confirm: true } },
};

interface Line {
  frame: Frame;
  moves: Move[];
}

type Row = Parameters<typeof mcpBridge.createClients>[0][number];

async function withUpstream(row: Row, use: (upstream: ProtocolClient) => Promise<void>): Promise<void> {
  const [upstream] = mcpBridge.createClients([row], bridgeDeps());
  if (upstream === undefined) throw new Error('The bridge made no upstream.');
  await use(upstream);
  await upstream.close();
}

function turnOf({ tool: name, input, answer }: Story, { binding }: Past): Turn {
  const part = { type: 'tool_call', tool_call_id: 'call_1', name, input, visibility: 'public' } as const;
  return {
    kind: binding === undefined ? 'start' : 'reattach',
    taskId: 't1',
    sessionId: 's1',
    message: { id: 'message-1', role: 'user', parts: [part], metadata: {}, artifacts: new Map() },
    binding,
    sessionBinding: undefined,
    bindingOf: () => undefined,
    tasksBoundTo: async () => new Map(),
    metadataSaid: () => [],
    tasksForked: () => [],
    sessionMetadata: {},
    judge: () => undefined,
    remembers: () => false,
    history: () => [],
    // Who takes a call up finds the answer that was given meanwhile.
    answerTo: (id) => (binding === undefined || answer === undefined ? undefined : given(id, answer)),
    isCanceled: () => false,
  };
}

function given(upstreamId: string, answer: JsonObject): PermissionAnswer {
  return { upstreamId, approved: true, optionId: null, reason: null, answer };
}

/** Adds the frames of one turn to `lines`, up to where it is cut. */
async function play(upstream: ProtocolClient, story: Story, past: Past, lines: Line[]): Promise<void> {
  const stop = new AbortController();
  const turn = turnOf(story, past);
  for await (const frame of upstream.run(turn, stop.signal)) {
    const moves = upstream.interpret(frame, past);
    past.apply(moves);
    lines.push({ frame, moves });
    const record = frame.kind === 'message' ? asRecord(frame.body) : undefined;
    if (turn.kind === 'start' && record !== undefined && record.type === story.cutAfter) break;
    if (record?.type !== 'asked' || story.answer === undefined) continue;
    const answer = given(record.request_id, story.answer);
    setImmediate(() => upstream.answer?.('t1', answer));
  }
  stop.abort();
}

async function record(row: Row, story: Story): Promise<Line[]> {
  const past = new Past();
  const lines: Line[] = [];
  const turn = (upstream: ProtocolClient) => play(upstream, story, past, lines);
  await withUpstream(row, turn);
  if (story.cutAfter !== undefined) await withUpstream(row, turn);
  return lines;
}

async function recordAll(server: string, row: Row, stories: Record<string, Story>): Promise<void> {
  for (const [name, story] of Object.entries(stories)) {
    const file = `${FIXTURES}/${server}-${name}.ndjson`;
    if (existsSync(file)) continue;
    const lines = await record(row, story);
    writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
}

mkdirSync(FIXTURES, { recursive: true });
const every = { id: 'every', command: mcpServers.everything(), interactive: true, roots: ['/tmp'] };
await recordAll('everything-2026.8', every, EVERYTHING);
const fixture = await startModernFixture();
const modern = { id: 'modern', url: fixture.url, interactive: true };
await recordAll('stateless-2026-07-28', modern, STATELESS);
await fixture.close();
