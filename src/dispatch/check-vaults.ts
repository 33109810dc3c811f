import { RULES } from '../policy/rules.ts';
import { ProtocolError } from '../protocol/errors.ts';
import type { Facts } from './facts.ts';

/**
 * Refuses a task whose agent is reached with a credential of another workspace. Throws 422 `policy_violation`, which names
 * neither the vault nor its workspace. Source: Agents Protocol v1, "Authorization rules".
 */
export function checkVaults({ self }: Facts, route: string, workspaceId: string): void {
  const isForeign = self
    .vaultsOf(route)
    .some((vault) => vault.workspaceId !== null && vault.workspaceId !== workspaceId);
  if (!isForeign) return;
  const { rule, because } = RULES['vault.workspace'];
  throw new ProtocolError('policy_violation', `${because} Choose another route, or ask your operator.`, {
    details: { rule },
  });
}
