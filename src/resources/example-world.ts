import type { JsonObject } from '#protocol/json.ts';

/*
 * The small world that all examples show: one Session with one Task, in the default Workspace.
 */

export const AT = '2026-11-21T09:00:00.000Z';
export const VERSION = '0.1.0';
export const WORKSPACE = 'workspace_default';
export const SESSION = 'session_01KAHG5Y3TQ8W0M2Z4N6B8D0F2';
export const TASK_ID = 'task_01KAHG62E4R9X1P3A5C7E9G1J3';
export const ARTIFACT = 'artifact_01KAHG67R5V0Y2Q4B6D8F0H2K4';
export const MESSAGE = 'message_01KAHG5ZK6W1Z3R5C7E9G1J3M5';
export const whole = { session_id: SESSION, workspace_id: WORKSPACE };

/** A resource with its envelope. */
export function resource<const Name extends string, Members extends JsonObject>(
  object: Name,
  id: string,
  members: Members,
) {
  return { id, object, created_at: AT, updated_at: AT, metadata: {}, ...members };
}

/** Parts with one public text. */
export const text = (said: string): JsonObject[] => [{ type: 'text', text: said, visibility: 'public' }];

/** A message of a user. */
export const question = (said: string): JsonObject => ({ role: 'user', parts: text(said) });
