import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { sha256 } from '../../wire/sha256.ts';
import { objectOf } from '../object-of.ts';
import type { KeptRound } from './record.ts';
import type { Stand } from './requests.ts';

/** A call that was sent before the gateway was restarted, and what is needed to follow it. */
export interface KeptCall {
  callId: string;
  tool: string;
  input: JsonObject;
  stand: Stand;
}

/**
 * Where a call stood, by what is bound to its Task. Undefined where nobody knows what it did: without a task of the server or
 * a question of its, or where the record of its arguments was redacted.
 */
export function keptCall(
  binding: JsonObject | undefined,
  spell: (value: JsonValue) => string,
): KeptCall | undefined {
  const { call_id: callId, tool, remote_task: taskId, round, resumes = 0 } = binding ?? {};
  if (typeof callId !== 'string' || typeof tool !== 'string') return undefined;
  const times = { resumes: Number(resumes) + 1 };
  if (typeof taskId === 'string') return { callId, tool, input: {}, stand: { at: 'task', taskId, ...times } };
  if (round === undefined) return undefined;
  const { number, input_requests, request_state, input, input_sha256 } = round as unknown as KeptRound;
  if (sha256(spell(input)) !== input_sha256) return undefined;
  const state = request_state === undefined ? {} : { requestState: request_state };
  const asked = { number, inputRequests: objectOf(input_requests), ...state };
  return { callId, tool, input, stand: { at: 'round', round: asked, ...times } };
}
