import { z } from 'zod';

export const routing = z
  .strictObject({
    default: z
      .string()
      .min(1)
      .optional()
      .describe(
        'Route of tasks that name none. Unset: the first agent of upstreams.a2a, else of upstreams.acp, else the bundled sample; check shows it.',
      )
      .meta({ examples: ['a2a:shop'] }),
  })
  .prefault({})
  .describe('Which agent takes a task.');

export const telemetry = z
  .strictObject({
    log_level: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
      .default('info')
      .describe('Least severe log line written to stderr.'),
    metrics: z.boolean().default(true).describe('Serve Prometheus metrics at /metrics.'),
  })
  .prefault({})
  .describe('What the gateway reports to its operator.');
