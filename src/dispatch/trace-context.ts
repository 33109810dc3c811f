const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;
const ZERO = /^0+$/;

/** The ids of a W3C `traceparent`; undefined when it is absent or malformed, as the recommendation asks. */
export function parseTraceparent(
  header: string | undefined,
): { traceId: string; spanId: string } | undefined {
  const match = header === undefined ? null : TRACEPARENT.exec(header);
  const [, traceId, spanId] = match ?? [];
  if (!traceId || !spanId || header?.startsWith('ff') || ZERO.test(traceId) || ZERO.test(spanId))
    return undefined;
  return { traceId, spanId };
}
