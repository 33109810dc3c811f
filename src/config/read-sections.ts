import type { z } from 'zod';
import { isObject } from '#protocol/json-shape.ts';
import type { PathFault } from './fault.ts';
import { issueFaults, unknownOption } from './issue-faults.ts';
import { SECTION_NAMES, SECTIONS, type SectionName, type Settings } from './schema.ts';

/** What the file says, as far as it can be understood. */
export interface ReadSections {
  settings: Partial<Settings>;
  /** Options (`server.tls`), or whole sections, of which something was left out: their absence proves nothing. */
  doubtful: ReadonlySet<string>;
  faults: PathFault[];
  /** Spells the path of a fault in `settings` as in the file: entries at fault were left out of their lists. */
  inFile(fault: PathFault): PathFault;
}

/** Reads every section. What is at fault is left out of its section, so that the rest can be judged at the same time. */
export function readSections(file: Record<string, unknown>): ReadSections {
  const faults: PathFault[] = [];
  const settings: Record<string, unknown> = {};
  const cuts: Cut[] = [];
  for (const name of SECTION_NAMES) {
    const read = SECTIONS[name].safeParse(file[name]);
    if (!read.success) {
      faults.push(...issueFaults(read.error.issues, name));
      cuts.push(...cutsOf(name, read.error.issues));
    }
    const usable = read.success ? read : SECTIONS[name].safeParse(pruned(name, file[name], cuts));
    if (usable.success) settings[name] = usable.data;
  }
  const unknown = Object.keys(file).filter((key) => !Object.hasOwn(SECTIONS, key));
  return {
    settings,
    doubtful: new Set(cuts.map(({ doubtful }) => doubtful)),
    faults: [...faults, ...unknown.map((key) => unknownOption([], key))],
    inFile: ({ path, message }) => ({ path: pathInFile(path, cuts), message }),
  };
}

/** A part of the file that is left out. */
interface Cut {
  /** Begins with the section. */
  path: readonly PropertyKey[];
  doubtful: string;
}

/** An unknown name goes alone; a faulty entry of a list goes whole, as does a faulty option of a section. */
function cutsOf(section: SectionName, issues: readonly z.core.$ZodIssue[]): Cut[] {
  return issues.flatMap((issue) => {
    const path = [section, ...issue.path];
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ path: [...path, key], doubtful: optionOf(path) }));
    const entry = path.findIndex((step) => typeof step === 'number');
    return [{ path: path.slice(0, entry < 0 ? 2 : entry + 1), doubtful: optionOf(path) }];
  });
}

/** `server.tls` of a path in it; the section alone when the path ends there, or is one of an entry. */
function optionOf([section, option]: readonly PropertyKey[]): string {
  return typeof option === 'string' ? `${String(section)}.${option}` : String(section);
}

function pruned(section: SectionName, value: unknown, cuts: readonly Cut[]): unknown {
  const box: Record<string, unknown> = { [section]: structuredClone(value) };
  for (const { path } of cuts) if (path[0] === section) take(box, path);
  return withoutHoles(box[section]);
}

/** Deletes what the path names; in a list it leaves a hole, so that the other paths still hold. */
function take(within: unknown, [step = '', ...rest]: readonly PropertyKey[]): void {
  if (!isObject(within) && !Array.isArray(within)) return;
  const members = within as Record<PropertyKey, unknown>;
  if (rest.length === 0) delete members[step];
  else if (Object.hasOwn(members, step)) take(members[step], rest);
}

function withoutHoles(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter(() => true).map(withoutHoles);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutHoles(member)]));
}

function pathInFile(path: PathFault['path'], cuts: readonly Cut[]): PathFault['path'] {
  const at = path.findIndex((step) => typeof step === 'number');
  if (at < 0) return path;
  const list = path.slice(0, at);
  const gone = new Set(
    cuts
      .filter((cut) => cut.path.length === at + 1 && list.every((step, index) => step === cut.path[index]))
      .map((cut) => cut.path[at]),
  );
  let index = -1;
  for (let left = Number(path[at]); left >= 0; index += 1) if (!gone.has(index + 1)) left -= 1;
  return [...list, index, ...path.slice(at + 1)];
}
