import { describe, expect, it } from 'vitest';
import { canonicalJson } from '#json/canonical.ts';
import type { JsonObject } from '#protocol/json.ts';
import type { Frame, Move } from '#protocol-client.ts';
import { DEFAULT_LIMITS } from '../../../../bridges/mcp/client/config.ts';
import type { Connection } from '../../../../bridges/mcp/client/connection.ts';
import { interpret } from '../../../../bridges/mcp/client/interpret.ts';
import { ActiveCall, type CallContext } from '../../../../bridges/mcp/client/requests.ts';
import { SchemaChecks } from '../../../../bridges/mcp/client/schema-check.ts';
import { toolOf } from '../../../../bridges/mcp/client/tools.ts';
import { Past } from '../../../harness/past.ts';
import { bridgeDeps } from '../../../harness/upstream-stage.ts';

const DEFINITION = {
  name: 'count',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
};

/** Runs a call of `count` on a server that answers so, and tells what it means. */
async function run(
  answer: (call: ActiveCall) => Promise<JsonObject>,
  { isStateless = false, ...more }: Partial<CallContext> & { isStateless?: boolean } = {},
): Promise<{ frames: Frame[]; moves: Move[] }> {
  const deps = bridgeDeps();
  const tool = toolOf(DEFINITION, { id: 'x' }, canonicalJson);
  if (tool === undefined) throw new Error('no tool');
  const call = new ActiveCall({
    tool,
    facts: { call_id: 'c1', server: 'x', tool: 'count' },
    input: {},
    limits: DEFAULT_LIMITS,
    onError: 'fail',
    roots: ['/srv'],
    isInteractive: true,
    maySample: false,
    checks: new SchemaChecks(),
    deps,
    turn: {},
    transport: 'tcp',
    given: () => undefined,
    reconnect: () => Promise.reject(new Error('not lost')),
    ...more,
  });
  const connection = { isStateless, isClosed: false, capabilities: {}, request: () => answer(call) };
  await call.run(connection as unknown as Connection, new AbortController().signal);
  const frames: Frame[] = [];
  for await (const frame of call.frames) frames.push(frame);
  const past = new Past();
  const moves = frames.flatMap((frame) => {
    const meant = interpret(frame, past);
    past.apply(meant);
    return meant;
  });
  return { frames, moves };
}

const ended = (moves: readonly Move[]) => moves.find((move) => move.type === 'status');
const SAID = { content: [{ type: 'text', text: 'It did not work.' }], isError: true };

describe('a call of an MCP tool', () => {
  it.each([
    [{ structuredContent: { n: 'many' } }, 'structuredContent.n: must be integer'],
    [{ structuredContent: {} }, 'structuredContent.n: is required'],
    [{ content: [] }, 'structuredContent: is required'],
  ])('[MCP-UP-13] an output that does not fit its schema is kept, and said to: %j', async (result, fault) => {
    const { moves } = await run(async () => result);
    expect(moves).toContainEqual({
      type: 'note',
      note: 'output_schema_violation',
      details: { output_fault: fault },
    });
    expect(moves).toContainEqual(
      expect.objectContaining({ tool: expect.objectContaining({ step: 'completed', output: result }) }),
    );
    expect(ended(moves)).toMatchObject({ to: 'COMPLETED' });
  });

  it.each([
    ['fail', { to: 'FAILED', failure: { code: 'tool_error', message: 'It did not work.' } }],
    ['complete', { to: 'COMPLETED' }],
  ] as const)('[MCP-UP-13] where errors of tools %s, a result that is one ends so', async (onError, end) => {
    const { moves } = await run(async () => SAID, { onError });
    expect(moves[0]).toMatchObject({
      type: 'tool',
      tool: { step: 'failed', failure: { code: 'tool_error' } },
    });
    expect(ended(moves)).toMatchObject({
      ...end,
      message: { parts: [{ type: 'tool_result', status: 'error' }, {}] },
    });
  });

  it('[MCP-UP-6] a server that asks for a model without leave is refused, and that is told', async () => {
    let refused: unknown;
    const { moves } = await run(async (call) => {
      refused = await call.asked('sampling/createMessage', { messages: [] }).catch((error: unknown) => error);
      return { structuredContent: { n: 1 } };
    });
    expect(refused).toMatchObject({ code: -32_601 });
    expect(moves).toContainEqual({
      type: 'note',
      note: 'server_request_declined',
      details: { method: 'sampling/createMessage', reason: 'not_offered' },
    });
    expect(ended(moves)).toMatchObject({ to: 'COMPLETED' });
  });

  it('[MCP-UP-14] a form that asks for a secret is declined, and nobody sees it', async () => {
    const requestedSchema = { type: 'object', properties: { api_key: { type: 'string' } } };
    let given: unknown;
    const { moves } = await run(async (call) => {
      given = await call.asked('elicitation/create', { message: 'Your key?', requestedSchema });
      return { structuredContent: { n: 1 } };
    });
    expect(given).toEqual({ action: 'decline' });
    expect(moves.filter(({ type }) => type === 'permission')).toEqual([]);
    expect(moves).toContainEqual({
      type: 'note',
      note: 'server_request_declined',
      details: { method: 'elicitation/create', reason: 'asks_for_a_secret' },
    });
  });

  it('a server that asks for input again and again is not called for ever', async () => {
    let calls = 0;
    const { moves } = await run(
      async () => {
        calls += 1;
        return { resultType: 'input_required', inputRequests: { where: { method: 'roots/list' } } };
      },
      { isStateless: true },
    );
    expect(calls).toBe(21);
    expect(ended(moves)).toMatchObject({ to: 'FAILED', failure: { details: { reason: 'rounds' } } });
  });
});
