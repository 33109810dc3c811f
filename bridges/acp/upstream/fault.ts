import type { JsonObject } from '../../../src/protocol/json.ts';
import type { FaultCode, Frame } from '../../../src/upstream.ts';

/** Why a turn cannot go on. The message is public; it never holds a secret or an address. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly details: JsonObject;

  constructor(code: FaultCode, message: string, details: JsonObject = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }

  toFrame(): Frame {
    const details = Object.keys(this.details).length === 0 ? {} : { details: this.details };
    return { kind: 'fault', code: this.code, message: this.message, ...details };
  }
}

export type TimeoutName = 'start' | 'session' | 'idle' | 'total';

export function timedOut(timeout: TimeoutName, ms: number): Fault {
  return new Fault('deadline_exceeded', `The agent took longer than ${ms} ms (${timeout}).`, { timeout });
}

export function gone(reason: string, message: string, details: JsonObject = {}): Fault {
  return new Fault('upstream_unavailable', message, { reason, ...details });
}

export function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  return gone('lost', 'The connection to the agent broke.');
}
