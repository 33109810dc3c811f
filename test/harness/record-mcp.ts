import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { mcpBridge } from '../../bridges/mcp/index.ts';
import { asRecord } from '../../bridges/mcp/upstream/record.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import type { Frame, Move, Turn, Upstream } from '../../src/upstream.ts';
import { PACKAGE_ROOT } from '../faults/child-processes.ts';
import { mcpServers } from './mcp-servers.ts';
import { Past } from './past.ts';
import { bridgeDeps } from './upstream-stage.ts';

/**
 * Records what server-everything answers, with the moves it means: `node dist/test/harness/record-mcp.js`. A recording that
 * is there already is never made again; a new behaviour is a new file.
 */
const FIXTURES = `${PACKAGE_ROOT}fixtures/wire/mcp`;

/** What is called, and how a question is answered. */
const STORIES: Record<string, { tool: string; input: JsonObject; answer?: JsonObject }> = {
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

interface Line {
  frame: Frame;
  moves: Move[];
}

async function record(upstream: Upstream, story: (typeof STORIES)[string]): Promise<Line[]> {
  const { tool: name, input, answer } = story;
  const lines: Line[] = [];
  const past = new Past();
  const part = { type: 'tool_call', tool_call_id: 'call_1', name, input, visibility: 'public' } as const;
  const turn: Turn = {
    kind: 'start',
    taskId: 't1',
    sessionId: 's1',
    message: { id: 'message-1', role: 'user', parts: [part], metadata: {}, artifacts: new Map() },
    binding: undefined,
    sessionBinding: undefined,
    sessionMetadata: {},
    judge: () => undefined,
    history: () => [],
    answerTo: () => undefined,
  };
  for await (const frame of upstream.run(turn, new AbortController().signal)) {
    const moves = upstream.interpret(frame, past);
    past.apply(moves);
    lines.push({ frame, moves });
    const asked = frame.kind === 'message' ? asRecord(frame.body) : undefined;
    if (asked?.type !== 'asked' || answer === undefined) continue;
    const given = { upstreamId: asked.request_id, approved: true, optionId: null, reason: null, answer };
    setImmediate(() => upstream.answer?.('t1', given));
  }
  return lines;
}

mkdirSync(FIXTURES, { recursive: true });
for (const [name, story] of Object.entries(STORIES)) {
  const file = `${FIXTURES}/everything-2026.8-${name}.ndjson`;
  if (existsSync(file)) continue;
  const row = { id: 'every', command: mcpServers.everything(), interactive: true, roots: ['/tmp'] };
  const [upstream] = mcpBridge.createUpstreams([row], bridgeDeps());
  if (upstream === undefined) throw new Error('The bridge made no upstream.');
  const lines = await record(upstream, story);
  await upstream.close();
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}
