import type { JsonObject } from '#protocol/json.ts';
import type { PolicyDecided } from '#resources/policy/events.ts';
import type { Move } from '#upstream.ts';
import { HOST_METHODS, isHostMethod } from '../../../mappings/acp/host-methods.ts';
import { objectOf, textOf } from '../../../mappings/acp/json-shape.ts';
import type { AcpRecord } from './record.ts';

type Asked = Extract<AcpRecord, { op: 'host_asked' }>;
type Answered = Extract<AcpRecord, { op: 'host_answered' }>;

/** What the agent does at its client's machine is a tool call; a terminal is one call from its start to its end. */
export function interpretHostAsked({ key, message, decided }: Asked): Move[] {
  const method = textOf(message['method']) ?? '';
  if (!isHostMethod(method)) return [];
  const { step, sideEffect } = HOST_METHODS[method];
  if (step !== 'call' && step !== 'begin') return [];
  const { sessionId: _, ...input } = objectOf(message['params']);
  const call = { toolCallId: key, name: method };
  const requested: Move = { type: 'tool', tool: { ...call, step: 'requested', input, sideEffect } };
  if (decided === undefined) return [requested];
  const policy: Move = { type: 'policy', decided };
  return decided.effect === 'ask' ? [requested, policy, question(call, input, decided)] : [requested, policy];
}

/** The agent waits for the answer, as it does for one to a question of its own. */
function question(
  { toolCallId, name }: { toolCallId: string; name: string },
  input: JsonObject,
  { because, rule }: PolicyDecided,
): Move {
  const { path, command } = input;
  const what = textOf(path) ?? textOf(command);
  return {
    type: 'permission',
    permission: {
      upstreamId: toolCallId,
      kind: 'tool',
      source: 'hitl',
      message: `${because} May ${what === undefined ? name : `${name} ${what.slice(0, 500)}`} be done?`,
      toolCall: { tool_call_id: toolCallId, name, input },
      metadata: { policy: { rule } },
    },
  };
}

export function interpretHostAnswered({ method, result, error, ends, wrote }: Answered): Move[] {
  if (ends === undefined) return [];
  // A terminal is called by the request that made it.
  const name = HOST_METHODS[method].capability === 'terminal' ? 'terminal/create' : method;
  const call = { toolCallId: ends, name };
  if (error !== undefined) {
    const { message } = objectOf(error);
    const failure = {
      code: 'tool_failed',
      message: `The editor refused ${method}: ${textOf(message)?.slice(0, 500) ?? 'no reason'}`,
      type: 'runtime_error',
    };
    return [{ type: 'tool', tool: { ...call, step: 'failed', failure } }];
  }
  const ended: Move = { type: 'tool', tool: { ...call, step: 'completed', output: result ?? null } };
  return wrote === undefined ? [ended] : [ended, { type: 'file_written', file: wrote }];
}
