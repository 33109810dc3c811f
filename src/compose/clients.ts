import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SAMPLE_AGENT_ID } from '#config/routes.ts';
import { readSecret, type SecretRef } from '#config/secret.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import { canonicalJson } from '#json/canonical.ts';
import { parseMended, parsePeerText } from '#json/peer-text.ts';
import { dataPaths } from '#operation/data-directory.ts';
import { KeptCards } from '#operation/kept-cards.ts';
import { ProcessGuard } from '#operation/process-guard.ts';
import { SampleAgentProcess } from '#operation/sample-agent-process.ts';
import type { ProtocolClient } from '#protocol-client.ts';
import type { Bridge, BridgeDeps } from '../../bridges/bridge.ts';
import { type BridgeId, bridges } from '../../bridges/index.ts';
import { toolDefinitions } from './definitions.ts';
import type { Parts } from './parts.ts';
import { upstreamCredentials } from './upstream-credentials.ts';

/** The bundled agent when the configuration names no other; undefined otherwise. It is started with its first task. */
export function sampleAgent({ config, packageRoot, env, logger }: Parts): SampleAgentProcess | undefined {
  if (!config.usesSampleAgent) return undefined;
  return new SampleAgentProcess(join(packageRoot, 'dist', 'bundle', 'sample-agent.js'), env, logger);
}

/** The rows that each bridge makes its adapters of. */
type Rows = { [Id in BridgeId]: Parameters<(typeof bridges)[Id]['createClients']>[0] };

/** One adapter per configured agent, by route. Their credentials are known secrets from now on. */
export function makeClients(
  parts: Parts,
  log: EventLog,
  sample: SampleAgentProcess | undefined,
): Map<string, ProtocolClient> {
  const { config, logger, clock, version, env, extraClients = [] } = parts;
  const readSecret = secretReader(parts);
  const deps: BridgeDeps = {
    clock,
    timers: {
      setTimeout: (run: () => void, ms: number) => setTimeout(run, ms),
      clearTimeout: (handle: unknown) => clearTimeout(handle as NodeJS.Timeout),
    },
    logger,
    readSecret,
    credential: upstreamCredentials(parts, readSecret),
    parseJson: (text) => parsePeerText(text),
    mendJson: (text) => parseMended(text),
    keptCards: new KeptCards(dataPaths(config.store.data).agentCards),
    redact: (value) => {
      const { value: clean, hits } = parts.redactor.redactValue(value);
      return { value: clean, hit: hits.length > 0 };
    },
    canonicalJson,
    version,
    environment: env,
    definitions: toolDefinitions(log, logger, parts.redactor),
    guard: new ProcessGuard(logger),
  };
  for (const { auth } of Object.values(config.upstreams).flat()) if (auth) deps.readSecret(auth.value);
  const { acp, mcp } = config.upstreams;
  for (const value of [...acp, ...mcp].flatMap(({ env: given }) => Object.values(given)))
    if (typeof value !== 'string') deps.readSecret(value);
  const rows: Rows = {
    ...config.upstreams,
    ...(sample === undefined ? {} : { a2a: [sampleRow(sample, parts)] }),
  };
  const configured = (Object.keys(bridges) as BridgeId[]).flatMap((id) => upstreamsOf(id, rows, deps));
  return new Map([...configured, ...extraClients].map((upstream) => [upstream.route, upstream]));
}

/** Where its card says that the bundled agent is while it does not run: a name that is nobody's address. Spec: RFC 6761, 6.3. */
const SAMPLE_CARD_URL = 'http://sample-agent.localhost/.well-known/agent-card.json';

function sampleRow(sample: SampleAgentProcess, { packageRoot }: Parts): Rows['a2a'][number] {
  const card = readFileSync(join(packageRoot, 'config', 'sample-agent', 'card.json'), 'utf8');
  return { id: SAMPLE_AGENT_ID, card: SAMPLE_CARD_URL, onDemand: { card, agent: sample } };
}

/** The rows of a bridge go to that bridge: one name picks both. */
function upstreamsOf<Id extends BridgeId>(id: Id, rows: Rows, deps: BridgeDeps): ProtocolClient[] {
  const bridge: Bridge<Rows[Id][number]> = bridges[id];
  return bridge.createClients(rows[id], deps);
}

/** Reads a secret at each use, so that a rotated file takes effect, and hides it wherever it might appear. */
export function secretReader({ config, env, redactor }: Parts): (ref: SecretRef) => string {
  const { vaults } = config;
  const sources = { env, vaults, readFile: (path: string) => readFileSync(path, 'utf8') };
  return (ref) => {
    const secret = readSecret(ref, sources);
    redactor.addKnownSecret(secret);
    return secret;
  };
}
