import type { Turn } from '#protocol-client.ts';
import { unavailable } from './faults.ts';

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

/** What may stand in a header: visible characters of Latin-1, spaces and tabs. Spec: RFC 9110, section 5.5. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The same for headers. Throws Fault for a value that no header can carry. */
export function headersOf(
  turn: Pick<Turn, 'sessionInput'>,
  named: NamedInputs | undefined,
  url: string | undefined,
): Record<string, string> {
  const found = inputsOf(turn, named, url);
  const bad = Object.keys(found).find((header) => !HEADER_VALUE.test(found[header] ?? ''));
  if (bad === undefined) return found;
  const details = { header: bad, input: named?.[bad] ?? null };
  const message = `The session input ${named?.[bad]} has characters that the header ${bad} cannot carry. Put it again without line breaks and in Latin letters.`;
  throw unavailable('invalid_session_input', message, details);
}
