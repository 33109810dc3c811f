import { z } from 'zod';
import { webUrl } from '../shapes.ts';

/** Forms of OTLP that are spoken. */
export const OTLP_PROTOCOLS = ['http/protobuf', 'http/json'] as const;
/** What can be sent. */
export const OTLP_SIGNALS = ['traces', 'metrics'] as const;

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
          .optional()
          .describe(
            'Base URL of a receiver of OTLP over HTTP; traces go to /v1/traces there, metrics to /v1/metrics. Unset: OTEL_EXPORTER_OTLP_ENDPOINT, and without it nowhere.',
          )
          .meta({ examples: ['http://127.0.0.1:4318'] }),
        protocol: z
          .enum(OTLP_PROTOCOLS)
          .optional()
          .describe('Form of what is sent. Unset: OTEL_EXPORTER_OTLP_PROTOCOL, and without it http/protobuf.')
          .meta({ examples: ['http/protobuf'] }),
        signals: z
          .array(z.enum(OTLP_SIGNALS))
          .default([...OTLP_SIGNALS])
          .describe('What is sent: a trace of each task, and the metrics that /metrics shows.'),
        content: z
          .boolean()
          .default(false)
          .describe(
            'Put what was said and what tools are called with into the traces, redacted as in the log. Whoever reads the traces reads that.',
          ),
      })
      .prefault({})
      .describe(
        'Send traces and metrics by OpenTelemetry: names, ids, times and numbers, not what was said. The OTEL_* variables say the rest: headers, sampler, intervals.',
      ),
  })
  .prefault({})
  .describe('What the gateway reports to its operator.');
