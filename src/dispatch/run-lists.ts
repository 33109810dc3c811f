import type { RunFact } from '../projections/run-facts.ts';
import type { JsonObject } from '../protocol/json.ts';

/** Items that a receipt lists of a kind, like its frames; its metadata has the number of all where there are more. */
const LISTED_ITEMS = 500;

export type FactOf<Kind extends RunFact['kind']> = Extract<RunFact, { kind: Kind }>;

/** Those of a kind, oldest first. */
export function factsOf<Kind extends RunFact['kind']>(facts: readonly RunFact[], kind: Kind): FactOf<Kind>[] {
  return facts.filter((fact): fact is FactOf<Kind> => fact.kind === kind);
}

export function listed<Fact>(facts: readonly Fact[]): Fact[] {
  return facts.slice(0, LISTED_ITEMS);
}

/** How many there are of what is not listed to its end. */
export function beyondList(lists: Readonly<Record<string, readonly RunFact[]>>): JsonObject {
  const long = Object.entries(lists).filter(([, facts]) => facts.length > LISTED_ITEMS);
  return long.length === 0
    ? {}
    : { totals: Object.fromEntries(long.map(([name, facts]) => [name, facts.length])) };
}
