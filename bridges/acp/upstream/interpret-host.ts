import { HOST_METHODS, isHostMethod } from '../../../mappings/acp/host-methods.ts';
import { objectOf, textOf } from '../../../mappings/acp/json-shape.ts';
import type { Move } from '../../../src/upstream.ts';
import type { AcpRecord } from './record.ts';

type Asked = Extract<AcpRecord, { op: 'host_asked' }>;
type Answered = Extract<AcpRecord, { op: 'host_answered' }>;

/** What the agent does at its client's machine is a tool call; a terminal is one call from its start to its end. */
export function interpretHostAsked({ key, message }: Asked): Move[] {
  const method = textOf(message['method']) ?? '';
  if (!isHostMethod(method)) return [];
  const { step, sideEffect } = HOST_METHODS[method];
  if (step !== 'call' && step !== 'begin') return [];
  const { sessionId: _, ...input } = objectOf(message['params']);
  return [{ type: 'tool', tool: { toolCallId: key, name: method, step: 'requested', input, sideEffect } }];
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
