import type { ConfigFault } from './fault.ts';
import { filePath, host, origin, port } from './shapes.ts';

/** Command line flags as they were typed; an absent one is undefined. */
export interface ConfigFlags {
  config?: string | undefined;
  host?: string | undefined;
  port?: string | undefined;
  data?: string | undefined;
  advertise?: string | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** What flags and environment decide, over the file. */
export interface Overrides {
  config?: string;
  host?: string;
  port?: number;
  data?: string;
  advertise?: string;
}

const VARIABLES = {
  config: 'HARN_GATEWAY_CONFIG',
  host: 'HARN_GATEWAY_HOST',
  port: 'HARN_GATEWAY_PORT',
  data: 'HARN_GATEWAY_DATA',
  advertise: 'HARN_GATEWAY_ADVERTISE',
} as const;

const SHAPES = { config: filePath, host, data: filePath, advertise: origin } as const;

/** Reads flags and environment: a flag beats its variable, an empty variable counts as unset. */
export function readOverrides(
  flags: ConfigFlags,
  env: Environment,
): { overrides: Overrides; faults: ConfigFault[] } {
  const overrides: Overrides = {};
  const faults: ConfigFault[] = [];
  for (const name of Object.keys(VARIABLES) as (keyof typeof VARIABLES)[]) {
    const given = pick(name, flags, env);
    if (given === undefined) continue;
    const problem = name === 'port' ? readPort(given.text, overrides) : readText(name, given.text, overrides);
    if (problem !== undefined) faults.push({ path: given.path, message: problem });
  }
  return { overrides, faults };
}

function pick(
  name: keyof typeof VARIABLES,
  flags: ConfigFlags,
  env: Environment,
): { path: string; text: string } | undefined {
  const flag = flags[name];
  if (flag !== undefined) return { path: `--${name}`, text: flag };
  const variable = VARIABLES[name];
  const text = env[variable];
  return text === undefined || text === '' ? undefined : { path: variable, text };
}

function readPort(text: string, overrides: Overrides): string | undefined {
  const read = port.safeParse(/^\d{1,5}$/.test(text) ? Number(text) : Number.NaN);
  if (!read.success) return 'must be a whole number from 0 to 65535';
  overrides.port = read.data;
  return undefined;
}

function readText(name: keyof typeof SHAPES, text: string, overrides: Overrides): string | undefined {
  const read = SHAPES[name].safeParse(text);
  if (!read.success) return read.error.issues[0]?.message;
  overrides[name] = read.data;
  return undefined;
}
