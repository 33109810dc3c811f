import type { SchemaStep } from './step.ts';

/** Version of the key layout and of the stored shapes. Raised by every change an older gateway would misread. */
export const SCHEMA_VERSION = 6;

/** One step for each form since 6, the first that was released; none is ever taken away. */
const MIGRATIONS: readonly SchemaStep[] = [];

/** The form that is written and read, and the steps that lead to it. */
export interface Forms {
  readonly current: number;
  readonly steps: readonly SchemaStep[];
}

export const FORMS: Forms = { current: SCHEMA_VERSION, steps: MIGRATIONS };

/** The steps from a form to the current one, in order; undefined where none lead there. */
export function stepsFrom(found: number, { current, steps }: Forms): SchemaStep[] | undefined {
  const path: SchemaStep[] = [];
  for (let from = found; from < current; from += 1) {
    const step = steps.find((candidate) => candidate.from === from);
    if (step === undefined) return undefined;
    path.push(step);
  }
  return path;
}
