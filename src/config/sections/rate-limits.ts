import { z } from 'zod';
import { positive } from '../shapes.ts';

const rate = z.number().positive('must be more than 0').optional();
const REQUESTS = 'in the long run, over all faces; a frame of a WebSocket and a request of ACP count as one.';

/** What one caller, or all callers of a tenant, may ask; the parts that are left out bound nothing. */
export const rateLimits = z
  .strictObject({
    caller_requests_per_second: rate
      .describe(`Requests of one actor of a tenant ${REQUESTS}`)
      .meta({ examples: [50] }),
    caller_burst: positive
      .optional()
      .describe('Requests of one actor at once. Default: those of one second.')
      .meta({ examples: [100] }),
    caller_bodies_in_flight: positive
      .optional()
      .describe('Requests of one actor with a body that are not answered yet.')
      .meta({ examples: [16] }),
    tenant_requests_per_second: rate
      .describe(`Requests of all actors of a tenant ${REQUESTS}`)
      .meta({ examples: [500] }),
    tenant_burst: positive
      .optional()
      .describe('Requests of a tenant at once. Default: those of one second.')
      .meta({ examples: [1000] }),
    tenant_bodies_in_flight: positive
      .optional()
      .describe('Requests of a tenant with a body that are not answered yet.')
      .meta({ examples: [64] }),
  })
  .superRefine((given, context) => {
    for (const holder of ['caller', 'tenant'] as const)
      if (given[`${holder}_burst`] !== undefined && given[`${holder}_requests_per_second`] === undefined)
        context.addIssue({
          code: 'custom',
          path: [`${holder}_burst`],
          message: `needs ${holder}_requests_per_second`,
        });
  })
  .prefault({})
  .describe(
    'Requests that callers may send; more are 429 with Retry-After, and answers carry RateLimit and RateLimit-Policy. Off by default.',
  );
export type RateLimits = z.output<typeof rateLimits>;
