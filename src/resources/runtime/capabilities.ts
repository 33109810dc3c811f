import { OPERATIONS, type OperationId, operation } from '#resources/operations.ts';
import type { Capability } from './schema.ts';

/** A transport is served when an operation of its kind is. */
const TRANSPORTS = [
  { kind: 'query', id: 'transport:rest', description: 'REST with JSON.' },
  { kind: 'stream', id: 'transport:sse', description: 'Server-sent events.' },
  { kind: 'socket', id: 'transport:websocket', description: 'WebSocket with commands and subscriptions.' },
] as const;

/** What the gateway can do, read off the operations table, so that nothing is advertised that is not served. */
export const CAPABILITIES: readonly Capability[] = [...transports(), ...operations()];

function transports(): Capability[] {
  const kinds = new Set<string>(Object.values(OPERATIONS).map(({ kind }) => kind));
  return TRANSPORTS.filter(({ kind }) => kinds.has(kind)).map(({ id, description }) => ({ id, description }));
}

function operations(): Capability[] {
  return (Object.keys(OPERATIONS) as OperationId[]).map((name) => {
    const { level, method, path, summary } = operation(name);
    const id = level === 'vendor' ? `vendor.route:${method} ${path}` : `operation:${name}`;
    return { id, description: summary };
  });
}
