import type { ReplayCheck } from '#resources/replay/schema.ts';
import type { TestClient } from './client.ts';

export const REPLAY_CHECK = '/v1/admin/replay-check';
const POLL_MS = 5;

/** Begins a replay check and returns it as it ended. */
export async function readToEnd(client: TestClient, request: object): Promise<ReplayCheck> {
  const begun = await client.post<ReplayCheck>(REPLAY_CHECK, request);
  if (begun.status !== 'RUNNING' || begun.ended_at !== null) throw new Error(`begun as ${begun.status}`);
  for (;;) {
    const check = await client.get<ReplayCheck>(REPLAY_CHECK);
    if (check.id !== begun.id) throw new Error(`${check.id} took the place of ${begun.id}`);
    if (check.status !== 'RUNNING') return check;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
