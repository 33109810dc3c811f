import type { EventLog } from '#eventlog/event-log.ts';
import type { Readiness } from '#surfaces/discovery/documents.ts';

/**
 * Whether new work is taken, and what the operator does when it is not. Issuers that were never reached are listed, but stop
 * nobody else: callers with a key or a token of another issuer are served.
 */
export function readinessOf(
  log: EventLog,
  draining: boolean,
  issuersNeverReached: readonly string[] = [],
  clock: Readiness['details'] = {},
): Readiness {
  if (draining) return { ok: false, status: 'draining', reason: 'The gateway is stopping.', details: {} };
  const { integrity } = log;
  if (integrity.status === 'truncated') {
    const details = {
      integrity: 'truncated',
      expected_commit: integrity.expected.commit,
      found_commit: integrity.found.commit,
    };
    const reason =
      'The store holds less than its checkpoint says. Restore it, or run "harn-gateway log accept-truncation".';
    return { ok: false, status: 'fenced', reason, details };
  }
  if (integrity.status === 'damaged') {
    const reason = 'A stored record fails its check. Run "harn-gateway log check".';
    return { ok: false, status: 'fenced', reason, details: { integrity: 'damaged', where: integrity.where } };
  }
  const { shortage } = log;
  if (log.status !== 'open' && shortage !== undefined) {
    const details = {
      cause: 'disk_full',
      free_bytes: shortage.freeBytes,
      needed_bytes: shortage.neededBytes,
    };
    return { ok: false, status: 'fenced', reason: shortage.reason, details };
  }
  if (log.status !== 'open')
    return {
      ok: false,
      status: 'fenced',
      reason: 'A write failed; the store is being reopened.',
      details: {},
    };
  const details = { ...damageOf(log), ...unreached(issuersNeverReached), ...clock };
  const reason =
    issuersNeverReached.length === 0
      ? null
      : 'A token issuer has never been reached, so its tokens are answered with 503. Run "harn-gateway check --online".';
  return { ok: true, status: 'ready', reason, details };
}

function unreached(issuers: readonly string[]): Readiness['details'] {
  return issuers.length === 0 ? {} : { issuers_never_reached: [...issuers] };
}

/** Reads of what is damaged are 423; everything else is served. */
function damageOf({ damage: { ranges, records } }: EventLog): Readiness['details'] {
  if (ranges === 0 && records === 0) return {};
  return {
    damaged_ranges: ranges,
    damaged_records: records,
    damage:
      'Stored data was found damaged; reads of it are 423. Run "harn-gateway log check", and restore a backup.',
  };
}
