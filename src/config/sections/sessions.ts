import { z } from 'zod';

export const sessions = z
  .strictObject({
    live_client_ttl_ms: z
      .int()
      .min(0)
      .max(31_536_000_000, 'must be 31536000000 (a year) or less')
      .default(0)
      .describe(
        'Time after its last attach or heartbeat at which a live client of a session is detached; 0: never. Clients on a connection stay as long as that.',
      ),
  })
  .prefault({})
  .describe('Who works in sessions.');
