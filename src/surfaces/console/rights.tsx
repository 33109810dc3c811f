import { Text } from '@mantine/core';
import { useAccount } from './data.tsx';

/** Scopes that a credential may hold, as the API names them. */
export type Scope = `${string}:${'read' | 'write' | 'respond' | 'replay'}` | 'admin' | 'operator';

/** Whether who is signed in holds a scope: what they may not do is not offered. `*` is all but the gateway itself. */
export function useMay(): (scope: Scope) => boolean {
  const { scopes } = useAccount();
  return (scope) =>
    scopes === undefined || scopes.includes(scope) || (scope !== 'operator' && scopes.includes('*'));
}

/** In the place of what is not offered: why, and what would be needed. */
export function Lacking({ scope, what }: { scope: Scope; what: string }) {
  return (
    <Text size="sm" c="dimmed">
      You may read this, and not {what}: your key lacks the scope {scope}.
    </Text>
  );
}
