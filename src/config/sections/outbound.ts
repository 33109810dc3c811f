import { z } from 'zod';
import { addressRange, duration } from '../shapes.ts';

export const outbound = z
  .strictObject({
    allow: z
      .array(addressRange)
      .default([])
      .describe(
        'Addresses and ranges that URLs of callers may lead to although they are not public; plain http is accepted there.',
      ),
    give_up_after_ms: duration
      .default(259_200_000)
      .describe('Time that a delivery to a receiver is tried before it becomes a dead letter.'),
  })
  .prefault({})
  .describe('What the gateway sends to URLs that callers give.');
