import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '#protocol/json.ts';
import { objectOf, objectsOf, textOf } from '#protocol/json-shape.ts';
import type { Frame, Move, ProtocolClient, Turn } from '#protocol-client.ts';
import { AcpClient } from '../../bridges/acp/client/client.ts';
import { asRecord } from '../../bridges/acp/client/interpret.ts';
import type { Host } from '../../bridges/acp/host.ts';
import { HOST_CAPABILITIES } from '../../mappings/acp/host-methods.ts';
import { PACKAGE_ROOT } from '../faults/child-processes.ts';
import { acpUpstream } from './acp-stage.ts';
import { Past } from './past.ts';
import { recordedLines } from './recorded-frames.ts';
import { textMessage } from './upstream-stage.ts';

/**
 * Records what the test agent of the official SDK and the recorded real agents send, with the moves it means:
 * `node dist/test/harness/record-acp.js`.
 * A recording that is there already is never made again; a new behaviour is a new file.
 */
const FIXTURES = `${PACKAGE_ROOT}fixtures/wire/acp`;

const STORIES: Record<string, readonly string[]> = {
  echo: ['hello'],
  stream: ['stream 3'],
  again: ['hello', 'stream 1'],
  think: ['think'],
  plan: ['plan'],
  edit: ['edit'],
  ask: ['ask'],
  files: ['files'],
  late: ['late', 'hello'],
  max: ['max'],
  refuse: ['refuse'],
  weird: ['weird'],
  fail: ['fail'],
  login: ['login'],
  untaken: ['login'],
  die: ['die'],
  machine: ['machine'],
  visit: ['visit https://login.example.com/device'],
};

/** Recordings of real agents, played again; what they are asked is allowed. */
const AGENTS = [
  'claude-agent-acp-0.101-edit',
  'codex-acp-2.6-shell',
  'gemini-cli-0.61-edit',
  'zed-codex-acp-0.16-edit',
] as const;

/** An editor's machine for the stories that use one, told by what it answers. */
const ANSWERS: Record<string, JsonObject> = {
  'fs/read_text_file': { content: 'hello' },
  'terminal/create': { terminalId: 'terminal-1' },
  'terminal/output': { output: 'made', truncated: false },
  'terminal/wait_for_exit': { exitCode: 0, signal: null },
};
const HOST: Host = {
  actor: 'recorder',
  offer: HOST_CAPABILITIES,
  servers: [],
  ask: async (method) => ({ result: ANSWERS[method] ?? {} }),
};

const CLOCK = { clock: { now: () => 0, monotonic: () => 0 } };

interface Line {
  turn: number;
  frame: Frame;
  moves: Move[];
}

async function record(upstream: ProtocolClient, texts: readonly string[]): Promise<Line[]> {
  const lines: Line[] = [];
  let sessionBinding: Turn['sessionBinding'];
  for (const [index, text] of texts.entries()) {
    const past = new Past();
    past.sessionBinding = sessionBinding;
    const turn: Turn = {
      kind: 'start',
      taskId: `t${index + 1}`,
      sessionId: 's1',
      actor: HOST.actor,
      message: textMessage(text, `message-${index + 1}`),
      binding: undefined,
      sessionBinding,
      bindingOf: () => undefined,
      tasksBoundTo: async () => new Map(),
      metadataSaid: () => [],
      tasksForked: () => [],
      sessionMetadata: {},
      judge: () => undefined,
      remembers: () => false,
      history: () => [],
      answerTo: () => undefined,
      isCanceled: () => false,
    };
    for await (const frame of upstream.run(turn, new AbortController().signal)) {
      const moves = upstream.interpret(frame, past);
      past.apply(moves);
      lines.push({ turn: index + 1, frame, moves });
      answer(upstream, turn.taskId, frame);
    }
    sessionBinding = past.sessionBinding;
    await pause(100);
  }
  return lines;
}

function answer(upstream: ProtocolClient, taskId: string, frame: Frame): void {
  const asked = frame.kind === 'message' ? asRecord(frame.body) : undefined;
  if (asked?.op !== 'asked') return;
  const given = { upstreamId: asked.key, approved: true, optionId: null, reason: null };
  setImmediate(() => upstream.answer?.(taskId, { ...given, answer: { colour: 'green' } }));
}

function play(name: string): { upstream: ProtocolClient; texts: string[] } {
  const recording = `${FIXTURES}-agents/${name}.ndjson`;
  const player = `${PACKAGE_ROOT}dist/test/harness/peers/recorded-agent.js`;
  const state = join(mkdtempSync(join(tmpdir(), 'harn-record-')), name);
  const command = [process.execPath, player, recording, state];
  const texts = recordedLines(recording).flatMap((line) => {
    const isPrompt = line.to === 'agent' && line.message['method'] === 'session/prompt';
    const [block] = isPrompt ? objectsOf(objectOf(line.message['params'])['prompt']) : [];
    return textOf(block?.['text']) ?? [];
  });
  return { upstream: acpUpstream([], { command, cwd: '/' }, CLOCK), texts };
}

async function keep(name: string, upstream: ProtocolClient, texts: readonly string[]): Promise<void> {
  const lines = await record(upstream, texts);
  await upstream.close();
  writeFileSync(`${FIXTURES}/${name}.ndjson`, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

const isMade = (name: string) => existsSync(`${FIXTURES}/${name}.ndjson`);

mkdirSync(FIXTURES, { recursive: true });
for (const [story, texts] of Object.entries(STORIES)) {
  if (isMade(`sdk-2.4-${story}`)) continue;
  const upstream = acpUpstream([], {}, CLOCK);
  if (story === 'machine' && upstream instanceof AcpClient) upstream.hosts.attach('s1', HOST);
  await keep(`sdk-2.4-${story}`, upstream, texts);
}
for (const name of AGENTS) {
  if (isMade(name)) continue;
  const { upstream, texts } = play(name);
  await keep(name, upstream, texts);
}
