import type { PathFault } from './fault.ts';
import type { SectionName, Settings } from './schema.ts';
import type { SecretSources } from './secret.ts';

/** A check that spans sections. It runs when all sections it needs are well formed. */
export interface Rule {
  check(parsed: Partial<Settings>, sources: SecretSources): PathFault[];
}

/** Ties a check to the sections it reads. */
export function rule<K extends SectionName>(
  needs: readonly K[],
  check: (settings: Pick<Settings, K>, sources: SecretSources) => PathFault[],
): Rule {
  return { check: (parsed, sources) => (hasAll(parsed, needs) ? check(parsed, sources) : []) };
}

function hasAll<K extends SectionName>(
  parsed: Partial<Settings>,
  needs: readonly K[],
): parsed is Partial<Settings> & Pick<Settings, K> {
  return needs.every((name) => parsed[name] !== undefined);
}
