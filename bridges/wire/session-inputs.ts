import type { Turn } from '#protocol-client.ts';

/** Headers or arguments, each with the name of the session input that it carries. */
export type NamedInputs = Readonly<Record<string, string>>;

/** Those that the Session of a turn has now, for a peer at this URL; without one the peer is a program. */
export function inputsOf(
  { sessionInput }: Pick<Turn, 'sessionInput'>,
  named: NamedInputs = {},
  url: string | undefined,
): Record<string, string> {
  const origin = url === undefined ? undefined : new URL(url).origin;
  const found = Object.entries(named).flatMap(([member, name]) => {
    const value = sessionInput?.(name, origin);
    return value === undefined ? [] : [[member, value] as const];
  });
  return Object.fromEntries(found);
}
