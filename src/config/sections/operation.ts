import { z } from 'zod';
import { webUrl } from '../shapes.ts';

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
    otlp: z
      .strictObject({
        endpoint: z
          .string()
          .refine(
            (text) => webUrl(text)?.search === '',
            'must be an http or https URL without query or user info',
          )
          .describe('Base URL of a receiver of OTLP over HTTP with JSON; traces go to /v1/traces there.')
          .meta({ examples: ['http://127.0.0.1:4318'] }),
      })
      .optional()
      .describe(
        'Send traces of tasks by OpenTelemetry: names, ids and times, not what was said. Unset: to OTEL_EXPORTER_OTLP_ENDPOINT, and without it nowhere.',
      ),
  })
  .prefault({})
  .describe('What the gateway reports to its operator.');
