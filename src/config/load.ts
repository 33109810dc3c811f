import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { EXPOSURE_RULES } from './exposure-rules.ts';
import { ConfigError, type ConfigFault, type PathFault } from './fault.ts';
import { issueFaults, unknownOption } from './issue-faults.ts';
import { type ConfigFlags, type Environment, type Overrides, readOverrides } from './overrides.ts';
import { type PersonaSettings, readPersonas } from './personas.ts';
import { REFERENCE_RULES, withBuiltInTenant, withBuiltInWorkspace } from './reference-rules.ts';
import { configuredRoutes, SAMPLE_AGENT_ID } from './routes.ts';
import { SECTION_NAMES, SECTIONS, type Settings } from './schema.ts';
import { readProblem, type SecretRef, type SecretSources } from './secret.ts';
import type { A2aUpstream } from './sections/upstreams.ts';
import { withoutUnavailable } from './unavailable.ts';
import { parseYaml, withoutFile, type YamlFile } from './yaml-file.ts';

/** Where the configuration comes from. Relative paths in it start at `cwd`. */
export interface ConfigSources {
  flags: ConfigFlags;
  env: Environment;
  cwd: string;
  /** Directory of the package; holds the default `config/gateway.yaml`. */
  packageRoot: string;
  /** UTF-8 text of a file, or throws. Default: node:fs. */
  readFile?: (path: string) => string;
  /** Names in a directory, or throws. Default: node:fs. */
  listFiles?: (dir: string) => string[];
}

/** A checked configuration. All paths are absolute; `tenants` and `workspaces` include the built-in ones. */
export interface Config extends Omit<Settings, 'upstreams' | 'personas'> {
  /** Personas read from their files. */
  personas: PersonaSettings[];
  upstreams: { a2a: A2aUpstream[] };
  /** True until the file sets `upstreams.a2a`: the bundled agent is to be started and fronted as `a2a:sample`. */
  usesSampleAgent: boolean;
  /** The route of tasks that name none; undefined when no upstream is configured. */
  defaultRoute: string | undefined;
  /** The file that was read; undefined when the default file is absent. */
  file: string | undefined;
}

/**
 * Reads the configuration: flags beat environment, environment beats the file, the file beats the defaults. Throws
 * ConfigError with every fault found. Secrets are checked to be readable but not kept: `readSecret` reads them at use.
 */
export function loadConfig(sources: ConfigSources): Config {
  const readFile = sources.readFile ?? ((path: string) => readFileSync(path, 'utf8'));
  const { overrides, faults: overrideFaults } = readOverrides(sources.flags, sources.env);
  const source = openFile(sources, overrides, readFile);
  const { settings, faults: optionFaults } = readSettings(source.yaml, overrides, { ...sources, readFile });
  const { personas, faults: personaFaults } = personasOf(settings, source, sources, readFile);
  const faults = [...overrideFaults, ...source.yaml.faults, ...optionFaults, ...personaFaults];
  if (faults.length > 0 || !isComplete(settings)) throw new ConfigError(faults);
  return { ...toConfig(settings, source.file), personas };
}

/** Their directory is known once its section is well formed. */
function personasOf(
  { personas, tenants, upstreams }: Partial<Settings>,
  { file }: Source,
  { cwd, listFiles }: ConfigSources,
  readFile: (path: string) => string,
): { personas: PersonaSettings[]; faults: ConfigFault[] } {
  const beside = file === undefined ? undefined : join(dirname(file), 'personas');
  const dir = personas?.dir === undefined ? beside : resolve(cwd, personas.dir);
  if (dir === undefined || !personas || !tenants) return { personas: [], faults: [] };
  const files = { readFile, listFiles: listFiles ?? ((path: string) => readdirSync(path)) };
  return readPersonas(dir, personas.dir !== undefined, files, {
    tenants: withBuiltInTenant(tenants).map(({ id }) => id),
    upstreams: (upstreams?.a2a ?? [{ id: SAMPLE_AGENT_ID }]).map(({ id }) => id),
  });
}

/** A file that is not readable as a whole says nothing about its options, so none of them is judged. */
function readSettings(
  yaml: YamlFile,
  overrides: Overrides,
  ports: SecretSources & { cwd: string },
): { settings: Partial<Settings>; faults: ConfigFault[] } {
  if (yaml.raw === undefined) return { settings: {}, faults: [] };
  const { parsed, faults } = parseSections(yaml.raw);
  const settings = absolutePaths(applyOverrides(parsed, overrides), ports.cwd);
  const ruleFaults = [...EXPOSURE_RULES, ...REFERENCE_RULES].flatMap(({ check }) => check(settings, ports));
  return { settings, faults: [...faults, ...ruleFaults].map(yaml.locate) };
}

interface Source {
  file: string | undefined;
  yaml: YamlFile;
}

function openFile(
  { cwd, packageRoot }: ConfigSources,
  overrides: Overrides,
  readFile: (path: string) => string,
): Source {
  const file =
    overrides.config === undefined
      ? join(packageRoot, 'config', 'gateway.yaml')
      : resolve(cwd, overrides.config);
  let text: string;
  try {
    text = readFile(file);
  } catch (error) {
    const problem = readProblem(error);
    const isOptional = overrides.config === undefined && problem === 'does not exist';
    return { file: undefined, yaml: withoutFile(isOptional ? [] : [{ path: '', message: problem, file }]) };
  }
  return { file, yaml: parseYaml(file, text) };
}

function parseSections(file: Record<string, unknown>): { parsed: Partial<Settings>; faults: PathFault[] } {
  const { raw, faults } = withoutUnavailable(file);
  const parsed: Record<string, unknown> = {};
  for (const name of SECTION_NAMES) {
    const read = SECTIONS[name].safeParse(raw[name]);
    if (read.success) parsed[name] = read.data;
    else faults.push(...issueFaults(read.error.issues, name));
  }
  const unknown = Object.keys(raw).filter((key) => !Object.hasOwn(SECTIONS, key));
  return { parsed, faults: [...faults, ...unknown.map((key) => unknownOption([], key))] };
}

function applyOverrides(parsed: Partial<Settings>, { host, port, data }: Overrides): Partial<Settings> {
  const settings = { ...parsed };
  if (parsed.server)
    settings.server = {
      ...parsed.server,
      host: host ?? parsed.server.host,
      port: port ?? parsed.server.port,
    };
  if (parsed.store) settings.store = { ...parsed.store, data: data ?? parsed.store.data };
  return settings;
}

function absolutePaths(settings: Partial<Settings>, cwd: string): Partial<Settings> {
  const { server, store, upstreams, connectors } = settings;
  const absolute = { ...settings };
  if (store) absolute.store = { ...store, data: resolve(cwd, store.data) };
  if (server?.tls) {
    absolute.server = {
      ...server,
      tls: { cert: resolve(cwd, server.tls.cert), key: resolve(cwd, server.tls.key) },
    };
  }
  if (upstreams?.a2a)
    absolute.upstreams = { ...upstreams, a2a: upstreams.a2a.map((agent) => withAbsoluteSecret(agent, cwd)) };
  if (connectors) {
    absolute.connectors = connectors.map((row) => ({
      ...row,
      auth: { ...row.auth, secret: absoluteRef(row.auth.secret, cwd) },
    }));
  }
  return absolute;
}

function withAbsoluteSecret(agent: A2aUpstream, cwd: string): A2aUpstream {
  if (agent.auth === undefined) return agent;
  return { ...agent, auth: { ...agent.auth, value: absoluteRef(agent.auth.value, cwd) } };
}

function absoluteRef(ref: SecretRef, cwd: string): SecretRef {
  return 'file' in ref ? { file: resolve(cwd, ref.file) } : ref;
}

function isComplete(settings: Partial<Settings>): settings is Settings {
  return SECTION_NAMES.every((name) => settings[name] !== undefined);
}

function toConfig(settings: Settings, file: string | undefined): Omit<Config, 'personas'> {
  const { personas: _files, ...rest } = settings;
  const { a2a } = settings.upstreams;
  return {
    ...rest,
    tenants: withBuiltInTenant(settings.tenants),
    workspaces: withBuiltInWorkspace(settings.workspaces),
    upstreams: { a2a: a2a ?? [] },
    usesSampleAgent: a2a === undefined,
    defaultRoute: settings.routing.default ?? configuredRoutes(a2a)[0],
    file,
  };
}
