import type { JSONRPCNotification } from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject, JsonValue } from '#protocol/json.ts';

/** What a Task tells of its progress, as the notification of a call that wants it by this token. */
export function progressNotification(
  progressToken: JsonValue,
  { progress = 0, total, message }: JsonObject,
): JSONRPCNotification {
  const params = {
    progressToken,
    progress,
    ...(total === undefined ? {} : { total }),
    ...(message === undefined ? {} : { message }),
  };
  return { jsonrpc: '2.0', method: 'notifications/progress', params };
}
