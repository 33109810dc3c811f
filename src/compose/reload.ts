import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { TrustedIssuer } from '#auth/oauth/token-verifier.ts';
import { ConfigError } from '#config/fault.ts';
import type { Config } from '#config/load.ts';
import { planReload } from '#config/reloading.ts';
import { KeyedMutex } from '#core/keyed-mutex.ts';
import { haltOn } from '#policy/halts.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { timestamp } from '#protocol/ports.ts';
import type { ProtocolClient } from '#protocol-client.ts';
import { ensurePersonas } from '#resources/persona/configured-personas.ts';
import type { ReloadReport } from '#resources/runtime/schema.ts';
import { ensureVaults } from '#resources/vault/configured-vaults.ts';
import { ensureWorkspaces } from '#resources/workspace/configured-workspaces.ts';
import type { HttpSurface } from '#surfaces/http-surface.ts';
import type { Authentication } from './authentication.ts';
import { rowsByRoute } from './clients.ts';
import { type Core, guardsFor, meterOf } from './core.ts';
import { lookAtIssuers, trustedIssuers } from './issuers.ts';
import type { Parts } from './parts.ts';

/** Rejects what asks one gateway of a node with several partitions to reload. */
export async function refuseReloadOfOne(): Promise<never> {
  throw new ProtocolError(
    'conflict',
    'This node has a gateway for each of several partitions. Send SIGHUP to its process, on each node: that reloads all of it.',
  );
}

/** The answer before there is something to change. */
export async function refuseReload(): Promise<never> {
  throw new ProtocolError('service_unavailable', 'The gateway starts; reload again when it is ready.');
}

/** What a reload changes in a running gateway. */
export interface ReloadDeps {
  /** Its `config` is the one in effect: a reload changes it in place, so that whoever reads it reads the new one. */
  parts: Parts;
  core: Core;
  clients: Map<string, ProtocolClient>;
  issuers: Map<string, TrustedIssuer>;
  authentication: Authentication;
  surface: Pick<HttpSurface, 'renewCertificate'>;
  /** Makes the clients of a configuration; contacts nobody. */
  makeClients(config: Config): Map<string, ProtocolClient>;
}

/**
 * Lets a changed configuration take effect: everything new is made first, then put in place in one go, so that a call sees the old
 * configuration or the new one. What fails before that changes nothing.
 */
export class Reloader {
  readonly #deps: ReloadDeps;
  readonly #inTurn = new KeyedMutex();
  /** Clients whose rows are gone or changed, while tasks that began with them are open. */
  readonly #retired = new Set<ProtocolClient>();

  constructor(deps: ReloadDeps) {
    this.#deps = deps;
  }

  /**
   * A refusal is in the log of the process too: who sends a signal has no other answer.
   * @param actor who asks for it, as it goes on record
   * Throws ProtocolError: `invalid_request` with every fault, `service_unavailable` where the log cannot be written now.
   */
  reload(actor: string): Promise<ReloadReport> {
    return this.#inTurn.run('reload', () => this.#reload(actor));
  }

  /** Ends the clients that were replaced and whose tasks have all ended. */
  async closeIdle(): Promise<void> {
    const { runner } = this.#deps.core;
    const idle = [...this.#retired].filter((client) => !runner.serves(client) && client.isServing !== true);
    for (const client of idle) this.#retired.delete(client);
    await Promise.all(idle.map((client) => client.close()));
  }

  /** Puts a fresh client in the place of each that is halted as a whole, and ends that one with its program and connections. */
  stopHaltedAgents(): Promise<void> {
    return this.#inTurn.run('reload', async () => {
      const { parts, core, clients } = this.#deps;
      const routes = [...clients].flatMap(([route, client]) => (isHalted(core, client) ? [route] : []));
      const made = { added: [], replaced: routes, removed: [] };
      const fresh = this.#freshClients(viewOf(parts.config).config, made);
      await Promise.all(this.#replaceClients(fresh, made).map((client) => client.close()));
    });
  }

  startReleased(route: string): void {
    const client = this.#deps.clients.get(route);
    if (client !== undefined && !isHalted(this.#deps.core, client)) client.start();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#retired].map((client) => client.close()));
  }

  async #reload(actor: string): Promise<ReloadReport> {
    const { parts, core, issuers, authentication, surface } = this.#deps;
    const { config, logger, clock } = parts;
    const { applied, needsRestart, effective } = planReload(config, this.#read());
    const made = changesOf(rowsByRoute(config), rowsByRoute(effective));
    const view = viewOf(effective);
    const fresh = this.#freshClients(view.config, made);
    const nextIssuers = keptIssuers(issuers, trustedIssuers({ ...parts, config: effective }));
    const certificate = effective.server.tls && readPair(effective.server.tls);
    await this.#record(effective, { actor, applied, routes: made });

    // What callers have used up stays where their bounds did not change.
    const isMeterKept = isDeepStrictEqual(config.rate_limits, effective.rate_limits);
    Object.assign(config, effective);
    core.guards.current = guardsFor(parts, core.guards.current);
    if (!isMeterKept) core.metering.meter = meterOf(parts, core.refusals);
    view.follow(config);
    const replaced = this.#replaceClients(fresh, made);
    issuers.clear();
    for (const [issuer, trusted] of nextIssuers) issuers.set(issuer, trusted);
    authentication.reconsider();
    if (certificate !== undefined) surface.renewCertificate(certificate);

    for (const client of fresh.values()) if (!isHalted(core, client)) client.start();
    for (const client of replaced) this.#retired.add(client);
    lookAtIssuers(issuers);
    await core.gateway.recheckStreams();
    await this.closeIdle();
    logger.info({ applied, needs_restart: needsRestart, routes: made }, 'the configuration was reloaded');
    return {
      object: 'reload',
      reloaded_at: timestamp(clock.now()),
      applied: [...applied],
      needs_restart: [...needsRestart],
      routes: made,
    };
  }

  #read(): Config {
    const { readConfig, logger } = this.#deps.parts;
    if (readConfig === undefined)
      throw new ProtocolError(
        'invalid_request',
        'This gateway was not started from a file: restart it instead.',
      );
    try {
      return readConfig();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      logger.error({ faults: error.faults }, 'the configuration has faults; nothing was changed');
      const faults = error.faults.map((fault) => ({ ...fault })) as unknown as JsonObject[];
      throw new ProtocolError('invalid_request', `${error.message}\nNothing was changed.`, {
        details: { faults },
      });
    }
  }

  #freshClients(effective: Config, { added, replaced }: Routes): Map<string, ProtocolClient> {
    if (added.length + replaced.length === 0) return new Map();
    const made = this.#deps.makeClients(effective);
    return new Map([...made].filter(([route]) => added.includes(route) || replaced.includes(route)));
  }

  /** What the log says of the configuration; nothing of it is wrong where the reload fails behind it. */
  async #record(effective: Config, { actor, applied, routes }: Change): Promise<void> {
    const { workspaces, personas, vaults } = effective;
    const { core, parts } = this.#deps;
    const { log, tools } = core;
    if (log.status !== 'open' || log.integrity.status !== 'ok') {
      const message = 'The log cannot be written now, so nothing was changed. See /ready, then reload again.';
      parts.logger.error({}, message);
      throw new ProtocolError('service_unavailable', message);
    }
    if (applied.length > 0) {
      const api_keys = changesOf(keysById(parts.config), keysById(effective));
      const resource = { object: 'log', id: log.logId };
      const payload = tools.redact({ applied: [...applied], routes, api_keys }).value;
      await log.transact({ actor }, (tx) =>
        tx.append({ event: 'vendor.harn_gateway.configuration_reloaded', resource, payload }),
      );
    }
    await ensureWorkspaces(log, tools.redact(workspaces).value, parts.logger);
    await ensurePersonas(log, tools, tools.redact(personas).value);
    await ensureVaults(log, tools.redact(vaults).value);
  }

  /** Returns those that were in their place. */
  #replaceClients(fresh: ReadonlyMap<string, ProtocolClient>, { removed }: Routes): ProtocolClient[] {
    const { clients, core } = this.#deps;
    const before = [...fresh.keys(), ...removed].flatMap((route) => clients.get(route) ?? []);
    for (const route of removed) clients.delete(route);
    for (const [route, client] of fresh) {
      const predecessor = clients.get(route);
      if (predecessor !== undefined) client.succeed?.(predecessor);
      core.runner.adopt(client);
      clients.set(route, client);
    }
    return before;
  }
}

/** A configuration whose vaults are those in effect from `follow` on: clients read secrets as long as they live. */
function viewOf(effective: Config): { config: Config; follow(live: Config): void } {
  let source = effective;
  const config = {
    ...effective,
    get vaults() {
      return source.vaults;
    },
  };
  return {
    config,
    follow: (live) => {
      source = live;
    },
  };
}

/** Whether an agent is halted as a whole. */
export function isHalted({ tools }: Pick<Core, 'tools'>, { route }: ProtocolClient): boolean {
  return haltOn(tools.self.halts, { route }) !== undefined;
}

type Routes = ReloadReport['routes'];

/** A reload as it goes on record. */
interface Change {
  actor: string;
  applied: readonly string[];
  routes: Routes;
}

const keysById = ({ auth }: Config): Map<string, unknown> =>
  new Map(auth.api_keys.map((key) => [key.id, key]));

/** Names of rows by what became of them. */
function changesOf(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): Routes {
  return {
    added: [...after.keys()].filter((name) => !before.has(name)),
    replaced: [...after.keys()].filter(
      (name) => before.has(name) && !isDeepStrictEqual(before.get(name), after.get(name)),
    ),
    removed: [...before.keys()].filter((name) => !after.has(name)),
  };
}

/** An issuer whose row did not change keeps the keys that were read of it. */
function keptIssuers(
  running: ReadonlyMap<string, TrustedIssuer>,
  next: ReadonlyMap<string, TrustedIssuer>,
): Map<string, TrustedIssuer> {
  return new Map(
    [...next].map(([issuer, made]) => {
      const known = running.get(issuer);
      return [issuer, known !== undefined && isDeepStrictEqual(known.row, made.row) ? known : made];
    }),
  );
}

function readPair({ cert, key }: { cert: string; key: string }): { cert: string; key: string } {
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
}
