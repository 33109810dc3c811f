import { setTimeout as pause } from 'node:timers/promises';
import type { Erasure } from '#resources/erasure/schema.ts';
import type { TestClient } from '../../harness/client.ts';

const PAUSE_MS = 50;

/** Asks for an erasure, and returns it once it is complete: the answer comes before where the machine is slow. */
export async function endedErasure(client: TestClient, body: object): Promise<Erasure> {
  let erasure = await client.post<Erasure>('/v1/erasures', body);
  while (erasure.state !== 'completed') {
    await pause(PAUSE_MS);
    erasure = await client.get<Erasure>(`/v1/erasures/${erasure.id}`);
  }
  return erasure;
}
