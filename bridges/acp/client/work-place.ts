import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { JsonObject } from '#protocol/json.ts';
import { isObject, objectOf, textOf } from '../../../mappings/acp/json-shape.ts';
import type { AcpUpstreamConfig } from './config.ts';

/** Where a session of an agent works. */
export interface WorkPlace {
  /** Members of its setup. Spec: ACP v1, "Session Setup". */
  setup: JsonObject;
  /** Directories that its client named, and that it does not work in. */
  unused: string[];
}

/**
 * The directories that the client of a Session named, as far as the operator lets agents work there, else that of the agent's row.
 * They are places to work in and no confinement: an agent reaches what its program may.
 */
export async function workPlaceOf(
  config: AcpUpstreamConfig,
  sessionMetadata: JsonObject,
  capabilities: JsonObject,
): Promise<WorkPlace> {
  const { cwd, additional_directories: more } = objectOf(sessionMetadata['acp_client']);
  const named = textOf(cwd);
  const others = Array.isArray(more) ? more.flatMap((directory) => textOf(directory) ?? []) : [];
  const own = config.cwd ?? '/';
  const isUsed = named !== undefined && (named === own || (await isUsable(config, named)));
  const takesMore = isObject(objectOf(capabilities['sessionCapabilities'])['additionalDirectories']);
  const used: string[] = [];
  for (const directory of takesMore ? others : [])
    if (await isUsable(config, directory)) used.push(directory);
  const unused = others.filter((directory) => !used.includes(directory));
  return {
    setup: { cwd: isUsed ? named : own, ...(used.length === 0 ? {} : { additionalDirectories: used }) },
    unused: named === undefined || isUsed ? unused : [named, ...unused],
  };
}

/** A directory of this machine is looked up, links and all; one of a remote agent is known by its name only. */
async function isUsable(
  { client_cwd, client_roots = [], command }: AcpUpstreamConfig,
  directory: string,
): Promise<boolean> {
  if (!client_cwd || !isAbsolute(directory)) return false;
  const place = command === undefined ? resolve(directory) : await directoryOf(directory);
  if (place === undefined || client_roots.length === 0) return place !== undefined;
  for (const root of client_roots) {
    const limit = command === undefined ? resolve(root) : await directoryOf(root);
    if (limit !== undefined && isUnder(limit, place)) return true;
  }
  return false;
}

/** The directory behind a name; undefined where there is none. */
async function directoryOf(name: string): Promise<string | undefined> {
  try {
    const place = await realpath(name);
    return (await stat(place)).isDirectory() ? place : undefined;
  } catch {
    return undefined;
  }
}

function isUnder(root: string, place: string): boolean {
  const way = relative(root, place);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
