import type { CleanText } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { timestamp } from '#protocol/ports.ts';

const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/i;

/** The member `expires_at` of metadata or of what `param` names, an RFC 3339 time; null when there is none. */
export function expiryOf(holder: JsonObject, param = 'metadata.expires_at'): CleanText | null {
  const asked = holder['expires_at'];
  if (asked === undefined) return null;
  const ms = typeof asked === 'string' && RFC_3339.test(asked) ? Date.parse(asked) : Number.NaN;
  if (!Number.isNaN(ms)) return timestamp(ms);
  const message = `${param} must be an RFC 3339 time such as 2026-04-25T19:00:00Z.`;
  throw new ProtocolError('invalid_request', message, { param });
}
