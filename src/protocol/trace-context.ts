/** Where somebody stands in a trace. Spec: W3C Trace Context, "traceparent Header". */
export interface TraceContext {
  /** 32 lower-case hex digits. */
  traceId: string;
  /** 16 lower-case hex digits. */
  spanId: string;
  /** False: its caller records nothing, and wants nobody behind it to. */
  isSampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZERO = /^0+$/;
const SAMPLED = 1;

/** What a `traceparent` says; undefined for a malformed one, as the recommendation asks. */
export function parseTraceparent(header: string): TraceContext | undefined {
  const [, version, traceId, spanId, flags = '', more] = TRACEPARENT.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || ZERO.test(traceId) || ZERO.test(spanId))
    return undefined;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

/** What a log line says of the trace that a caller is in; nothing of one who names none. */
export function traceFields(header: string | string[] | undefined): { trace_id?: string } {
  const said = typeof header === 'string' ? parseTraceparent(header) : undefined;
  return said === undefined ? {} : { trace_id: said.traceId };
}

export function traceparentOf({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
