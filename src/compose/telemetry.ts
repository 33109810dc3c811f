import type { Config } from '#config/load.ts';
import { OTLP_PROTOCOLS, OTLP_SIGNALS } from '#config/sections/operation.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import type { OtlpTarget } from '#operation/otlp.ts';
import type { Telemetry } from '#operation/telemetry.ts';
import { nodeTimers } from '#surfaces/timers.ts';
import type { Measuring } from './measuring.ts';
import type { Parts } from './parts.ts';

/** What looks on: each is left out where the operator does not want it. */
export interface Watching {
  measuring: Measuring | undefined;
  telemetry: Telemetry | undefined;
}

type Signal = (typeof OTLP_SIGNALS)[number];
type Env = Parts['env'];

/** Where a signal goes, or why it cannot be sent; neither for one that the operator wants nowhere. */
interface Destination {
  target?: OtlpTarget;
  fault?: string;
}

const DEFAULT_PROTOCOL = 'http/protobuf';

/**
 * Where the configuration, or else the OTEL_* variables, want a signal.
 * Spec: OpenTelemetry, "OTLP Exporter" and "Environment Variables".
 */
export function destinationOf(signal: Signal, { otlp }: Config['telemetry'], env: Env): Destination {
  const name = signal.toUpperCase();
  const isOff = env['OTEL_SDK_DISABLED'] === 'true' || env[`OTEL_${name}_EXPORTER`] === 'none';
  if (isOff || !otlp.signals.includes(signal)) return {};
  const own = env[`OTEL_EXPORTER_OTLP_${name}_ENDPOINT`];
  const base = otlp.endpoint ?? (own ? undefined : env['OTEL_EXPORTER_OTLP_ENDPOINT']);
  const url = base ? `${base.replace(/\/$/, '')}/v1/${signal}` : own;
  if (!url) return {};
  if (!isWebUrl(url)) return { fault: `${url} is no http or https URL` };
  const asked =
    otlp.protocol ?? env[`OTEL_EXPORTER_OTLP_${name}_PROTOCOL`] ?? env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  const protocol = OTLP_PROTOCOLS.find((known) => known === (asked || DEFAULT_PROTOCOL));
  if (protocol === undefined)
    return { fault: `the protocol ${asked} is not spoken; set ${OTLP_PROTOCOLS.join(' or ')}` };
  return { target: { url, protocol } };
}

function isWebUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/** Whether something is sent by OpenTelemetry; metrics are then kept also where /metrics does not show them. */
export function sendsMetrics({ telemetry }: Config, env: Env): boolean {
  return destinationOf('metrics', telemetry, env).target !== undefined;
}

/** Sends traces and metrics to where the operator says; undefined, and nothing is loaded, where nobody says. */
export async function openTelemetry(
  { config, env, version, clock, random, logger, redactor }: Parts,
  log: EventLog,
  clients: ReadonlyMap<string, unknown>,
  measuring: Measuring | undefined,
): Promise<Telemetry | undefined> {
  const traces = destinationOf('traces', config.telemetry, env);
  const metrics = destinationOf('metrics', config.telemetry, env);
  for (const [signal, { fault }] of Object.entries({ traces, metrics }))
    if (fault !== undefined) logger.warn({ signal, fault }, 'nothing is sent by OpenTelemetry');
  if (traces.target === undefined && metrics.target === undefined) return undefined;
  hideHeaders(env, redactor);
  const { Telemetry: Opened } = await import('#operation/telemetry.ts');
  return new Opened({
    targets: {
      ...(traces.target && { traces: traces.target }),
      ...(metrics.target && { metrics: metrics.target }),
    },
    content: config.telemetry.otlp.content,
    service: { name: 'harn-gateway', version },
    agents: clients,
    metrics: measuring?.metrics,
    log,
    clock,
    random,
    logger,
    timers: nodeTimers,
  });
}

/** How a receiver of OpenTelemetry was found. */
export interface ReceiverSight {
  signal: Signal;
  /** Undefined where the signal is sent nowhere. */
  origin: string | undefined;
  /** Why it takes nothing. */
  fault: string | undefined;
}

/** Asks each receiver that the configuration or the OTEL_* variables name whether it takes an export without items. */
export async function inspectReceivers({ telemetry }: Config, env: Env): Promise<ReceiverSight[]> {
  return Promise.all(
    OTLP_SIGNALS.map(async (signal) => {
      const { target, fault } = destinationOf(signal, telemetry, env);
      if (target === undefined) return { signal, origin: undefined, fault };
      const { probe } = await import('#operation/otlp.ts');
      return { signal, origin: new URL(target.url).origin, fault: await probe(signal, target) };
    }),
  );
}

/** The headers of the receiver may hold its credential. */
function hideHeaders(env: Env, redactor: Parts['redactor']): void {
  for (const [name, value = ''] of Object.entries(env)) {
    if (!/^OTEL_EXPORTER_OTLP_(?:[A-Z]+_)?HEADERS$/.test(name)) continue;
    for (const header of value.split(',')) {
      const secret = header.slice(header.indexOf('=') + 1).trim();
      for (const form of [secret, decoded(secret)]) redactor.addKnownSecret(form);
    }
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
