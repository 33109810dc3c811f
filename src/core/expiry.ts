import type { EventLog, Transaction } from '#eventlog/event-log.ts';
import type { CleanText } from '#protocol/clean.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { type Clock, timestamp } from '#protocol/ports.ts';
import { lastSegment } from '#store/keys.ts';
import type { DecisionTools } from './facts.ts';

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

/** What of a room ends by the clock. */
export interface Expiry {
  /** Its list, of `<prefix><expires_at>/<id>`. */
  prefix: string;
  /** How many end in one transaction. Default: each in one of its own. */
  atOnce?: number;
  /** Ends one; one that ended by itself meanwhile is left alone. */
  end(tx: Transaction, tools: DecisionTools, id: string): void;
}

/** Expired things of a kind that are ended in one go: so few that no request waits behind them. */
const BATCH = 200;
/** Batches of one look: what a hold keeps stays listed, and must not keep what is behind it. */
const MAX_BATCHES = 25;

/** Ends what has expired by now, some batches of it. Returns how many were looked at. */
export async function endExpired(
  { prefix, atOnce = 1, end }: Expiry,
  log: EventLog,
  tools: DecisionTools,
  clock: Clock,
): Promise<number> {
  // `0` follows the `/` behind the time: what expires now has expired.
  const lt = `${prefix}${timestamp(clock.now())}0`;
  let looked = 0;
  let gt = prefix;
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const keys = await log.indexKeys({ gt, lt, limit: BATCH });
    for (let first = 0; first < keys.length; first += atOnce)
      await log.transact({ actor: null }, (tx) => {
        for (const key of keys.slice(first, first + atOnce)) end(tx, tools, lastSegment(key));
      });
    looked += keys.length;
    gt = keys.at(-1) ?? gt;
    if (keys.length < BATCH) break;
  }
  return looked;
}
