import type { Frame, PreparedTurn, Turn } from '#upstream.ts';
import { Fault } from '../../wire/faults.ts';
import { RpcError } from './faults.ts';
import { type AskedCall, Refusal } from './read-call.ts';
import { frameOf } from './record.ts';
import type { SchemaChecks } from './schema-check.ts';
import type { Tool } from './tools.ts';

/** What was read of a turn, as the policy judged it. */
export interface JudgedCall {
  asked: AskedCall;
  tool: Tool;
  checks: SchemaChecks;
}

/** A turn that has one thing to tell and calls nothing. */
export function only(frame: Frame): PreparedTurn {
  return {
    run: async function* () {
      yield frame;
    },
  };
}

export function reasonOf(error: unknown): string {
  if (error instanceof Fault) return error.code;
  return error instanceof RpcError ? 'refused' : 'unknown';
}

export function frameOfError(error: unknown): Frame {
  if (error instanceof Fault) return error.toFrame();
  if (!(error instanceof Refusal)) throw error;
  const { param, message, reason } = error;
  return frameOf({ type: 'refused', param, message, reason });
}

/** A held call waits on; one that was sent may have had its effect, so it is not sent again. */
export function takenUp({ binding }: Turn): Frame {
  if (binding?.['held'] === true && binding['sent'] !== true) return frameOf({ type: 'still_held' });
  const message =
    'The gateway restarted while the tool ran. Whether it did anything is unknown; check before submitting again.';
  return new Fault('upstream_unavailable', message, {
    reason: 'harness_restarted',
    outcome: 'unknown',
  }).toFrame();
}
