import { ProtocolError } from '#protocol/errors.ts';

/**
 * What `read` returns, or `otherwise` when a record it needs fails its integrity check. One damaged resource must not stop the
 * gateway from starting or other resources from working. A request for the damaged resource itself gets 423.
 */
export function unlessDamaged<T>(
  read: () => T,
  otherwise: T,
  onDamage: (error: unknown) => void = () => undefined,
): T {
  try {
    return read();
  } catch (error) {
    if (ProtocolError.from(error).code !== 'resource_locked') throw error;
    onDamage(error);
    return otherwise;
  }
}
