import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClientCredentials } from '#auth/oauth/client-credentials.ts';
import type { Config } from '#config/load.ts';
import { SAMPLE_AGENT_ID } from '#config/routes.ts';
import { readSecret, type SecretRef } from '#config/secret.ts';
import { DEFAULT_TENANT } from '#config/sections/tenancy.ts';
import { unlessDamaged } from '#core/unless-damaged.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import { canonicalJson } from '#json/canonical.ts';
import { parseMended, parsePeerText } from '#json/json-reader.ts';
import { dataPaths } from '#operation/data-directory.ts';
import { KeptCards } from '#operation/kept-cards.ts';
import { ProcessGuard } from '#operation/process-guard.ts';
import { SampleAgentProcess } from '#operation/sample-agent-process.ts';
import type { Logger } from '#protocol/ports.ts';
import type { ProtocolClient } from '#protocol-client.ts';
import type { Redactor } from '#redaction/redactor.ts';
import { pinnedDefinition, recordDefinitions, skillId } from '#resources/skill/skills.ts';
import type { Bridge, BridgeDeps, Definitions, UpstreamAuth } from '../../bridges/bridge.ts';
import { type BridgeId, bridges } from '../../bridges/index.ts';
import { postSmallForm } from './fetch-json.ts';
import { operatorGuard } from './outbound-guard.ts';
import { type Parts, systemTimers } from './parts.ts';

/** The bundled agent, which is there when the configuration names no other. It is started with its first task. */
export function sampleAgent({ packageRoot, env, logger }: Parts): SampleAgentProcess {
  return new SampleAgentProcess(join(packageRoot, 'dist', 'bundle', 'sample-agent.js'), env, logger);
}

/** The rows that each bridge makes its protocol clients of. */
type Rows = { [Id in BridgeId]: Parameters<(typeof bridges)[Id]['createClients']>[0] };

/** What protocol clients keep beyond the run of their process. */
type Kept = Pick<BridgeDeps, 'keptCards' | 'definitions' | 'publicUrl'>;

/** One protocol client per configured agent, by route. Their credentials are known secrets from now on. */
export function makeClients(
  parts: Parts,
  log: EventLog,
  sample: SampleAgentProcess,
  publicUrl: () => string | undefined,
): Map<string, ProtocolClient> {
  const { config, logger, redactor, extraClients = [] } = parts;
  const configured = configuredClients(parts, sample, {
    keptCards: new KeptCards(dataPaths(config.store.data).agentCards),
    definitions: toolDefinitions(log, logger, redactor),
    publicUrl,
  });
  return new Map([...configured, ...extraClients].map((client) => [client.route, client]));
}

/** The rows of agents and servers by route, to compare; the bundled agent has none that can change. */
export function rowsByRoute({ upstreams, usesSampleAgent }: Config): Map<string, unknown> {
  const rows = Object.entries(upstreams).flatMap(([bridge, list]) =>
    list.map((row): [string, unknown] => [`${bridge}:${row.id}`, row]),
  );
  return new Map([...rows, ...(usesSampleAgent ? [[`a2a:${SAMPLE_AGENT_ID}`, null] as const] : [])]);
}

/** What one look at an agent or a server found. */
export interface UpstreamSight {
  route: string;
  /** Its name and version, as it says itself; undefined where it was not reached. */
  name?: string;
  skills?: number;
  /** The interface that is used of those it offers. */
  spokenBy?: string;
  /** What it would be called by without that one, in order; left out where there is nothing. */
  spokenElse?: readonly string[];
  /** Why no task could be run there now. It holds neither a secret nor an address. */
  fault?: string;
  /** How far its clock is from ours, in milliseconds, to a second or so; positive: it is ahead. Undefined where it says no time. */
  skewMs?: number;
}

/** Characters of what a program wrote at last. */
const MAX_LAST_WORDS = 300;

/** A healthy agent answers in a second; one that has to be installed by its command first takes longer. */
const LOOK_MS = 30_000;

/**
 * Looks at every configured agent and server once, without a gateway; nothing of it is kept. `protocol`: at those of one protocol
 * alone, for example `a2a`.
 */
export async function inspectUpstreams(parts: Parts, protocol?: BridgeId): Promise<UpstreamSight[]> {
  const sample = sampleAgent(parts);
  const clients = configuredClients(parts, sample, {
    keptCards: { load: () => undefined, save: async () => undefined },
    definitions: { pinned: () => undefined, report: () => undefined },
    publicUrl: () => undefined,
  });
  try {
    const seen = clients.filter(({ route }) => protocol === undefined || route.startsWith(`${protocol}:`));
    const sights = await Promise.all(seen.map(lookAt));
    return parts.redactor.clean<UpstreamSight[]>(sights).value;
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    await sample.close();
  }
}

async function lookAt(client: ProtocolClient): Promise<UpstreamSight> {
  const { route } = client;
  let timer: unknown;
  const late = new Promise<never>((_resolve, reject) => {
    timer = systemTimers.setTimeout(
      () => reject(new Error(`It did not answer within ${LOOK_MS} ms.`)),
      LOOK_MS,
    );
  });
  try {
    const said = await Promise.race([client.reach?.(), late]);
    if (said === undefined) return { route };
    const version = said.version === '' || said.version === 'unknown' ? '' : ` ${said.version}`;
    const { spokenBy, spokenElse = [], skewMs } = said;
    const more = {
      ...(spokenBy !== undefined && { spokenBy }),
      ...(spokenElse.length > 0 && { spokenElse }),
      ...(skewMs !== undefined && { skewMs }),
    };
    return { route, name: `${said.name}${version}`, skills: said.skills.length, ...more };
  } catch (error) {
    return { route, fault: wordsOf(error) };
  } finally {
    systemTimers.clearTimeout(timer);
  }
}

/** The last line that a program wrote says more than that it ended. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { stderr_tail: tail } = ('details' in error ? error.details : {}) as { stderr_tail?: string };
  const last = tail?.trim().split('\n').at(-1)?.slice(-MAX_LAST_WORDS);
  return last ? `${error.message} Its last words: ${last}` : error.message;
}

function configuredClients(
  parts: Parts,
  sample: SampleAgentProcess,
  { keptCards, definitions, publicUrl }: Kept,
): ProtocolClient[] {
  const { config, logger, clock, random, version, env } = parts;
  const readSecret = secretReader(parts);
  const deps: BridgeDeps = {
    clock,
    random,
    timers: systemTimers,
    logger,
    publicUrl,
    partition: parts.partition?.id,
    readSecret,
    credential: clientCredentials(parts, readSecret),
    parseJson: parsePeerText,
    mendJson: parseMended,
    keptCards,
    redact: parts.redactor.clean.bind(parts.redactor),
    canonicalJson,
    version,
    environment: env,
    definitions,
    guard: new ProcessGuard(logger),
  };
  for (const { auth } of Object.values(config.upstreams).flat()) if (auth) deps.readSecret(auth.value);
  const { acp, mcp } = config.upstreams;
  for (const value of [...acp, ...mcp].flatMap(({ env: given }) => Object.values(given)))
    if (typeof value !== 'string') deps.readSecret(value);
  const rows: Rows = {
    ...config.upstreams,
    ...(config.usesSampleAgent ? { a2a: [sampleRow(sample, parts)] } : {}),
  };
  return (Object.keys(bridges) as BridgeId[]).flatMap((id) => clientsOf(id, rows, deps));
}

/**
 * The address in the card of the bundled agent while it does not run: a name that never resolves. Spec: RFC 6761, section 6.3.
 */
const SAMPLE_CARD_URL = 'http://sample-agent.localhost/.well-known/agent-card.json';

function sampleRow(sample: SampleAgentProcess, { packageRoot }: Parts): Rows['a2a'][number] {
  const card = readFileSync(join(packageRoot, 'config', 'sample-agent', 'card.json'), 'utf8');
  return { id: SAMPLE_AGENT_ID, card: SAMPLE_CARD_URL, onDemand: { card, agent: sample } };
}

/** The rows of a bridge go to that bridge: one name picks both. */
function clientsOf<Id extends BridgeId>(id: Id, rows: Rows, deps: BridgeDeps): ProtocolClient[] {
  const bridge: Bridge<Rows[Id][number]> = bridges[id];
  return bridge.createClients(rows[id], deps);
}

/** Reads a secret at each use, so that a rotated file takes effect, and hides it wherever it might appear. */
export function secretReader({ config, env, redactor }: Parts): (ref: SecretRef) => string {
  const sources = { env, readFile: (path: string) => readFileSync(path, 'utf8') };
  return (ref) => {
    const secret = readSecret(ref, { ...sources, vaults: config.vaults });
    redactor.addKnownSecret(secret);
    return secret;
  };
}

/** Pins the definitions of tools in the log. When the store cannot be written now, they are recorded at the next start. */
function toolDefinitions(log: EventLog, logger: Logger, redactor: Redactor): Definitions {
  const reader = { get: log.state.bind(log) };
  return {
    pinned: (route, name) => unlessDamaged(() => pinnedDefinition(reader, route, name), undefined),
    report: (route, changes) => {
      const definitions = changes.map(({ name, change, definitionSha256, pinnedSha256, shown }) => ({
        tool: name,
        skill: skillId(route, name),
        change,
        definition_sha256: definitionSha256,
        pinned_sha256: pinnedSha256,
        ...(shown === undefined ? {} : { definition: shown }),
      }));
      const clean = redactor.clean({ tenant: String(DEFAULT_TENANT), route, definitions }).value;
      recordDefinitions(log, clean.tenant, clean.route, clean.definitions).catch((error: unknown) =>
        logger.warn({ err: error, route }, 'changes of tool definitions were not recorded'),
      );
    },
  };
}

/** The headers that carry the credentials of agents: a secret as it is, or a token that was got with it. */
function clientCredentials(parts: Parts, readSecret: BridgeDeps['readSecret']): BridgeDeps['credential'] {
  const { clock, redactor, logger } = parts;
  const guard = operatorGuard(parts);
  const tokens = new ClientCredentials({
    clock,
    postForm: (url, form, headers) => postSmallForm(guard, url, form, headers),
    hide: (token) => redactor.addKnownSecret(token),
  });
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const MAKE: Record<UpstreamAuth['type'], (auth: UpstreamAuth) => Promise<Record<string, string>>> = {
    bearer: async ({ value }) => bearer(readSecret(value)),
    header: async ({ name = '', value }) => ({ [name.toLowerCase()]: readSecret(value) }),
    oauth2: async ({ value, token_url = '', client_id = '', scope, audience }) =>
      bearer(
        await tokens.token({ tokenUrl: token_url, clientId: client_id, scope, audience }, readSecret(value)),
      ),
  };
  return (auth) =>
    MAKE[auth.type](auth).catch((error: unknown) => {
      logger.error({ err: error }, 'a credential of an agent cannot be had');
      throw error;
    });
}
