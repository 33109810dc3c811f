import type { JsonObject } from '#protocol/json.ts';
import type { FaultCode, Frame } from '#upstream.ts';

/** Why a turn or a call cannot go on. The message is public; it never holds a secret or an address. */
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
