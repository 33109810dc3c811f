import { join } from 'node:path';
import type { PersonaDefinition } from '#resources/persona/schema.ts';
import type { ConfigFault } from './fault.ts';
import { issueFaults } from './issue-faults.ts';
import { readProblem } from './secret.ts';
import { personaFile } from './sections/personas.ts';
import { parseYaml } from './yaml-file.ts';

export interface PersonaSettings {
  id: string;
  tenant: string;
  definition: PersonaDefinition;
}

export interface PersonaFiles {
  /** Names in a directory, or throws. */
  listFiles(dir: string): string[];
  readFile(path: string): string;
}

/** What every persona must not collide with, and where it may belong. */
export interface PersonaNames {
  /** Undefined while they are not known: then no tenant is judged. */
  tenants: readonly string[] | undefined;
  upstreams: readonly string[];
}

/** Reads the personas of a directory: every fault has its file and line. `required`: the directory has to be there. */
export function readPersonas(
  dir: string,
  required: boolean,
  files: PersonaFiles,
  names: PersonaNames,
): { personas: PersonaSettings[]; faults: ConfigFault[] } {
  const personas: PersonaSettings[] = [];
  const faults: ConfigFault[] = [];
  const taken = new Set(names.upstreams);
  const listed = namesIn(dir, required, files, faults);
  for (const name of listed.filter((file) => /\.ya?ml$/.test(file)).sort()) {
    const found = readPersona(join(dir, name), files, names, taken, faults);
    if (found) personas.push(found);
  }
  return { personas, faults };
}

function namesIn(dir: string, required: boolean, files: PersonaFiles, faults: ConfigFault[]): string[] {
  try {
    return files.listFiles(dir);
  } catch (error) {
    const problem = readProblem(error);
    if (required || problem !== 'does not exist') {
      faults.push({ path: 'personas.dir', message: `the directory ${dir} ${problem}` });
    }
    return [];
  }
}

function readPersona(
  file: string,
  files: PersonaFiles,
  { tenants }: PersonaNames,
  taken: Set<string>,
  faults: ConfigFault[],
): PersonaSettings | undefined {
  const yaml = textOf(file, files, faults);
  if (yaml?.raw === undefined) return undefined;
  const read = personaFile.safeParse(yaml.raw);
  if (!read.success) {
    const found = issueFaults(read.error.issues, '').map(({ path, message }) => ({
      path: path.slice(1),
      message,
    }));
    faults.push(...found.map(yaml.locate));
    return undefined;
  }
  const { id, tenant, ...definition } = read.data;
  if (taken.has(id))
    faults.push(yaml.locate({ path: ['id'], message: 'is the id of another persona or upstream' }));
  if (tenants?.includes(tenant) === false)
    faults.push(yaml.locate({ path: ['tenant'], message: 'names no configured tenant' }));
  taken.add(id);
  return { id, tenant, definition };
}

function textOf(file: string, { readFile }: PersonaFiles, faults: ConfigFault[]) {
  try {
    const yaml = parseYaml(file, readFile(file));
    faults.push(...yaml.faults);
    return yaml;
  } catch (error) {
    faults.push({ path: '', message: readProblem(error), file });
    return undefined;
  }
}
