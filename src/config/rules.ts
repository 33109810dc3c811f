import type { PathFault } from './fault.ts';
import type { ReadSections } from './read-sections.ts';
import type { SectionName, Settings } from './schema.ts';
import type { SecretSources } from './secret.ts';

/** A check that spans options. It runs when all it needs is well formed, whatever else is at fault. */
export interface Rule {
  check(read: Pick<ReadSections, 'settings' | 'doubtful'>, sources: SecretSources): PathFault[];
}

/**
 * Ties a check to the sections it reads. `whole` names options, or sections, from whose defaults or missing entries the
 * check concludes something: when a part of one had to be left out, the check waits until that is mended.
 */
export function rule<K extends SectionName>(
  needs: readonly K[],
  check: (settings: Pick<Settings, K>, sources: SecretSources) => PathFault[],
  whole: readonly (K | `${K}.${string}`)[] = [],
): Rule {
  return {
    check: ({ settings, doubtful }, sources) => {
      const isDoubtful = whole.some((name) => doubtful.has(name) || doubtful.has(sectionOf(name)));
      return !isDoubtful && hasAll(settings, needs) ? check(settings, sources) : [];
    },
  };
}

function sectionOf(option: string): string {
  return option.split('.')[0] ?? option;
}

function hasAll<K extends SectionName>(
  parsed: Partial<Settings>,
  needs: readonly K[],
): parsed is Partial<Settings> & Pick<Settings, K> {
  return needs.every((name) => parsed[name] !== undefined);
}
