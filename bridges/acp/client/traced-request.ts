import type { JsonObject } from '#protocol/json.ts';
import type { Turn } from '#protocol-client.ts';
import type { Fault } from '../../wire/faults.ts';
import type { RpcAnswer } from '../../wire/json-rpc.ts';
import { withTrace } from '../../wire/trace-meta.ts';
import type { AcpClientConfig } from './config.ts';

/** A request of a turn to its agent, as the trace has it. */
export interface TracedRequest {
  /** The same parameters, which say the trace in `_meta`. */
  params(params: JsonObject): JsonObject;
  answered(answer: RpcAnswer): void;
  failed(fault: Fault): void;
}

/** The agent learns the trace also where nothing is recorded. Spec: OpenTelemetry semantic conventions, "RPC client". */
export function beginTraced(
  turn: Pick<Turn, 'traceparent' | 'begins'>,
  config: Pick<AcpClientConfig, 'command'>,
  method: string,
): TracedRequest {
  const exchange = turn.begins?.(method, {
    'rpc.system.name': 'jsonrpc',
    'rpc.method': method,
    'network.transport': config.command === undefined ? 'tcp' : 'pipe',
  });
  const traceparent = exchange?.traceparent ?? turn.traceparent;
  return {
    params: (params) => withTrace(params, traceparent),
    answered: (answer) => exchange?.end('error' in answer ? String(answer.error.code) : undefined),
    failed: ({ code }) => exchange?.end(code),
  };
}
