import type { Handlers } from '#core/command.ts';
import { ok, type Query } from '#core/query.ts';
import { ProtocolError } from '#protocol/errors.ts';

const getReplayCheck: Query<'getReplayCheck'> = (_input, { caller, newestReplayCheck }) => {
  const newest = newestReplayCheck();
  if (newest !== undefined) return ok(newest, caller);
  const message = 'No replay check has run yet. Start one with POST /v1/admin/replay-check.';
  throw new ProtocolError('resource_not_found', message);
};

export const replayQueries = { getReplayCheck } satisfies Partial<Handlers>;
