import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { ProviderCatalog } from '#resources/runtime/catalog-schema.ts';
import { readCatalog } from './catalog.ts';
import {
  type NarrowedCredential,
  narrowedCredentials,
  type TenantOperator,
  tenantOperators,
} from './credential-scopes.ts';
import { EXPOSURE_RULES } from './exposure-rules.ts';
import { ConfigError, type ConfigFault } from './fault.ts';
import { type ConfigFlags, type Environment, type Overrides, readOverrides } from './overrides.ts';
import { type PersonaSettings, readPersonas } from './personas.ts';
import { PROGRAM_RULES } from './program-rules.ts';
import { readSections } from './read-sections.ts';
import { REFERENCE_RULES, withBuiltInTenant, withBuiltInWorkspace } from './reference-rules.ts';
import { configuredUpstreams, type DefaultRoute, defaultRouteOf } from './routes.ts';
import { SECTION_NAMES, type Settings } from './schema.ts';
import { readProblem, type SecretRef, type SecretSources } from './secret.ts';
import type { AcpUpstream } from './sections/acp-upstream.ts';
import type { ApprovalSettings } from './sections/approvals.ts';
import { sampleConnector } from './sections/connectors.ts';
import type { McpUpstream } from './sections/mcp-upstream.ts';
import type { A2aUpstream } from './sections/upstreams.ts';
import type { VaultSettings } from './sections/vaults.ts';
import { isLoopbackHost } from './shapes.ts';
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
  /**
   * For commands that work on the data directory and start nothing: what only a start needs (secrets, certificates,
   * persona files, the rules of exposure) is neither read nor checked, and `personas` is empty. Default: false.
   */
  offline?: boolean;
  /** Also look whether the programs of upstreams are installed. Default: false. */
  programs?: boolean;
}

/** A checked configuration. All paths are absolute; `tenants` and `workspaces` include the built-in ones. */
export interface Config extends Omit<Settings, 'upstreams' | 'personas' | 'catalog'> {
  /** Personas read from their files. */
  personas: PersonaSettings[];
  /** The catalog of providers that was read; undefined where none is configured. */
  catalog: ProviderCatalog | undefined;
  upstreams: { a2a: A2aUpstream[]; acp: AcpUpstream[]; mcp: McpUpstream[] };
  /** True until the file sets `upstreams.a2a`: the bundled agent is to be started and fronted as `a2a:sample`. */
  usesSampleAgent: boolean;
  /** The route of tasks that name none, by the one rule of `routes.ts`. */
  defaultRoute: DefaultRoute;
  /** Who lacks a scope of the gateway itself although its other scopes are wide. */
  narrowed: NarrowedCredential[];
  /** Who is operator of all tenants by the `*` of a key of one of them. */
  tenantOperators: TenantOperator[];
  /** True on loopback beside the bundled agent, until the file sets `connectors`: there is one to try then, `sample`. */
  usesSampleConnector: boolean;
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
  const read = readSettings(source.yaml, overrides, { ...sources, readFile });
  const { settings, faults: optionFaults } = read;
  const { personas, faults: personaFaults } = personasOf(read, source, sources, readFile);
  const { catalog, faults: catalogFaults } = catalogOf(read, sources, readFile);
  const faults = [
    ...overrideFaults,
    ...source.yaml.faults,
    ...optionFaults,
    ...personaFaults,
    ...catalogFaults,
  ];
  if (faults.length > 0 || !isComplete(settings)) throw new ConfigError(faults);
  return { ...toConfig(settings, source), personas, catalog };
}

function catalogOf(
  { settings: { catalog }, doubtful }: ReadSettings,
  { cwd, offline }: ConfigSources,
  readFile: (path: string) => string,
): ReturnType<typeof readCatalog> {
  const file = doubtful.has('catalog') || doubtful.has('catalog.file') ? undefined : catalog?.file;
  if (offline || file === undefined) return { catalog: undefined, faults: [] };
  return readCatalog(resolve(cwd, file), readFile);
}

/** Their directory is known once its section is well formed. */
function personasOf(
  { settings: { personas, tenants, upstreams }, doubtful }: ReadSettings,
  { file }: Source,
  { cwd, listFiles, offline }: ConfigSources,
  readFile: (path: string) => string,
): { personas: PersonaSettings[]; faults: ConfigFault[] } {
  const beside = file === undefined ? undefined : join(dirname(file), 'personas');
  const dir = personas?.dir === undefined ? beside : resolve(cwd, personas.dir);
  const isKnown = personas !== undefined && !doubtful.has('personas') && !doubtful.has('personas.dir');
  if (offline || dir === undefined || !isKnown) return { personas: [], faults: [] };
  const files = { readFile, listFiles: listFiles ?? ((path: string) => readdirSync(path)) };
  return readPersonas(dir, personas.dir !== undefined, files, {
    tenants: tenants && !doubtful.has('tenants') ? withBuiltInTenant(tenants).map(({ id }) => id) : undefined,
    upstreams: configuredUpstreams(upstreams ?? { acp: [], mcp: [] }).map(({ id }) => id),
  });
}

interface ReadSettings {
  settings: Partial<Settings>;
  doubtful: ReadonlySet<string>;
  faults: ConfigFault[];
}

/** A file that is not readable as a whole says nothing about its options, so none of them is judged. */
function readSettings(
  yaml: YamlFile,
  overrides: Overrides,
  ports: SecretSources & { cwd: string; offline?: boolean; programs?: boolean },
): ReadSettings {
  if (yaml.raw === undefined) return { settings: {}, doubtful: new Set(), faults: [] };
  const { settings: parsed, doubtful, faults, inFile } = readSections(yaml.raw);
  const settings = absolutePaths(applyOverrides(parsed, overrides), ports.cwd);
  const rules = [
    ...(ports.offline ? [] : EXPOSURE_RULES),
    ...REFERENCE_RULES,
    ...(ports.programs ? PROGRAM_RULES : []),
  ];
  const vaults = doubtful.has('vaults') ? undefined : settings.vaults;
  const sources = { ...ports, vaults };
  const ruleFaults = rules.flatMap(({ check }) => check({ settings, doubtful }, sources)).map(inFile);
  return { settings, doubtful, faults: [...faults, ...ruleFaults].map(yaml.locate) };
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

function applyOverrides(
  parsed: Partial<Settings>,
  { host, port, data, advertise }: Overrides,
): Partial<Settings> {
  const settings = { ...parsed };
  if (parsed.server)
    settings.server = {
      ...parsed.server,
      host: host ?? parsed.server.host,
      port: port ?? parsed.server.port,
    };
  if (parsed.store)
    settings.store = {
      ...parsed.store,
      data: data ?? parsed.store.data,
      advertise: advertise ?? parsed.store.advertise,
    };
  return settings;
}

function absolutePaths(settings: Partial<Settings>, cwd: string): Partial<Settings> {
  const { server, store, upstreams, connectors, vaults, policy } = settings;
  const absolute = { ...settings };
  if (store) absolute.store = { ...store, data: resolve(cwd, store.data) };
  if (server?.tls) {
    absolute.server = {
      ...server,
      tls: { ...server.tls, cert: resolve(cwd, server.tls.cert), key: resolve(cwd, server.tls.key) },
    };
  }
  if (upstreams) {
    const { a2a, acp, mcp } = upstreams;
    absolute.upstreams = {
      ...upstreams,
      acp: acp.map((agent) => withAbsolutePlaces(agent, cwd)),
      mcp: mcp.map((server) => withAbsolutePaths(server, cwd)),
      ...(a2a === undefined ? {} : { a2a: a2a.map((agent) => withAbsoluteSecret(agent, cwd)) }),
    };
  }
  if (connectors) {
    absolute.connectors = connectors.map(({ auth, ...row }) => ({
      ...row,
      ...(auth === undefined ? {} : { auth: { ...auth, secret: absoluteRef(auth.secret, cwd) } }),
    }));
  }
  if (vaults) absolute.vaults = vaults.map((row) => withAbsoluteVault(row, cwd));
  if (policy) absolute.policy = { ...policy, approvals: policy.approvals.map((row) => ofWebhooks(row, cwd)) };
  return absolute;
}

function withAbsolutePlaces(agent: AcpUpstream, cwd: string): AcpUpstream {
  return {
    ...withAbsoluteRefs(agent, cwd),
    cwd: resolve(cwd, agent.cwd ?? '.'),
    client_roots: agent.client_roots.map((root) => resolve(cwd, root)),
  };
}

function withAbsoluteVault(row: VaultSettings, cwd: string): VaultSettings {
  const { dir, file, key } = row;
  return {
    ...row,
    ...(dir === undefined ? {} : { dir: resolve(cwd, dir) }),
    ...(file === undefined ? {} : { file: resolve(cwd, file) }),
    ...(key !== undefined && 'file' in key ? { key: { file: resolve(cwd, key.file) } } : {}),
  };
}

function ofWebhooks(row: ApprovalSettings, cwd: string): ApprovalSettings {
  const webhooks = row.webhooks.map((hook) => ({ ...hook, secret: absoluteRef(hook.secret, cwd) }));
  return { ...row, webhooks };
}

function withAbsoluteSecret(agent: A2aUpstream, cwd: string): A2aUpstream {
  if (agent.auth === undefined) return agent;
  return { ...agent, auth: { ...agent.auth, value: absoluteRef(agent.auth.value, cwd) } };
}

function withAbsolutePaths(server: McpUpstream, cwd: string): McpUpstream {
  const { roots } = server;
  return {
    ...withAbsoluteRefs(server, cwd),
    ...(roots === undefined ? {} : { roots: roots.map((root) => resolve(cwd, root)) }),
    ...(server.cwd === undefined ? {} : { cwd: resolve(cwd, server.cwd) }),
  };
}

/** A program's secrets, and those of an endpoint. */
function withAbsoluteRefs<Row extends Pick<McpUpstream, 'env' | 'auth'>>(row: Row, cwd: string): Row {
  const { auth } = row;
  const env = Object.entries(row.env).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : absoluteRef(value, cwd),
  ]);
  return {
    ...row,
    env: Object.fromEntries(env),
    ...(auth === undefined ? {} : { auth: { ...auth, value: absoluteRef(auth.value, cwd) } }),
  };
}

function absoluteRef(ref: SecretRef, cwd: string): SecretRef {
  return 'file' in ref ? { file: resolve(cwd, ref.file) } : ref;
}

function isComplete(settings: Partial<Settings>): settings is Settings {
  return SECTION_NAMES.every((name) => settings[name] !== undefined);
}

function toConfig(settings: Settings, { file, yaml }: Source): Omit<Config, 'personas' | 'catalog'> {
  const { personas: _files, catalog: _file, ...rest } = settings;
  const { a2a, acp, mcp } = settings.upstreams;
  const namesConnectors = yaml.raw !== undefined && Object.hasOwn(yaml.raw, 'connectors');
  const usesSampleConnector = a2a === undefined && !namesConnectors && isLoopbackHost(settings.server.host);
  return {
    ...rest,
    tenants: withBuiltInTenant(settings.tenants),
    workspaces: withBuiltInWorkspace(settings.workspaces),
    upstreams: { a2a: a2a ?? [], acp, mcp },
    usesSampleAgent: a2a === undefined,
    usesSampleConnector,
    connectors: usesSampleConnector ? [sampleConnector(settings.store.data)] : settings.connectors,
    defaultRoute: defaultRouteOf(settings.upstreams, settings.routing.default),
    narrowed: narrowedCredentials(settings.auth),
    tenantOperators: tenantOperators(settings.auth),
    file,
  };
}
