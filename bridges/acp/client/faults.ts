import type { JsonObject } from '#protocol/json.ts';
import { Fault } from '../../wire/faults.ts';

export type TimeoutName = 'start' | 'session' | 'idle' | 'total';

export function timedOut(timeout: TimeoutName, ms: number): Fault {
  return new Fault('deadline_exceeded', `The agent took longer than ${ms} ms (${timeout}).`, { timeout });
}

export function gone(reason: string, message: string, details: JsonObject = {}): Fault {
  return new Fault('upstream_unavailable', message, { reason, ...details });
}

export function tooLong(maxBytes: number): Fault {
  const message = `The agent sent a message of more than ${maxBytes} bytes, or in too many pieces.`;
  return new Fault('payload_too_large', message, { max_bytes: maxBytes });
}

export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  return gone('lost', 'The connection to the agent broke.');
}
