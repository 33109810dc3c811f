import { ProtocolError } from '#protocol/errors.ts';

/**
 * What `read` returns, or `otherwise` when a record it needs fails its integrity check: one damaged resource must keep
 * neither the gateway from starting nor others from running. Whoever asks for the resource itself gets 423.
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
