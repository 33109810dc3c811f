import { parseArgs } from 'node:util';
import type { Effort } from './bench.ts';

export interface CommandLine {
  effort: Effort;
  /** Upper-case ids; undefined runs all. */
  only: string[] | undefined;
  json: boolean;
  profileDir: string | undefined;
}

/** Throws TypeError with a readable message for an unknown option. */
export function readCommandLine(args: string[]): CommandLine {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      full: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      only: { type: 'string' },
      profile: { type: 'string' },
    },
  });
  return {
    effort: effortOf(values),
    only: values.only?.toUpperCase().split(','),
    json: values.json,
    profileDir: values.profile,
  };
}

function effortOf({ quick, full }: { quick: boolean; full: boolean }): Effort {
  if (full) return 'full';
  return quick ? 'quick' : 'normal';
}
