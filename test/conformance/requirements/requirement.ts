/** One sentence of a binding text that a test has to show. */
export interface Requirement {
  /** `CORE-<theme>-<n>` for the narrative, `C<n>` for the decisions of the contract, `S<section>-<n>` for the rest of it. */
  readonly id: string;
  /** What is asked, in our own words. */
  readonly says: string;
  /** Heading of the narrative, or section of the contract. */
  readonly section: string;
  /** Strength in the source; `DECIDED` for the contract. */
  readonly level: 'MUST' | 'MUST NOT' | 'SHOULD' | 'MAY' | 'DECIDED';
}

type Row = readonly [id: string, level: Requirement['level'], says: string];

/** The rows of one section. */
export function section(name: string, rows: readonly Row[]): Requirement[] {
  return rows.map(([id, level, says]) => ({ id, level, says, section: name }));
}
