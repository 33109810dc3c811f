import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { TestClient } from '../../harness/client.ts';
import { CutProxy, type Direction } from '../../harness/cut-proxy.ts';
import type { NatsServers } from '../../harness/nats-servers.ts';
import { GatewayPlace, type GatewayProcess, startAgentProcess } from '../gateway-process.ts';
import { Journal } from '../journal.ts';
import { settle } from '../kill-nine-cycles.ts';
import { checkAcknowledged, checkLog } from '../log-oracle.ts';
import { MixedLoad } from '../mixed-load.ts';
import { Report } from '../report.ts';
import { SeededRandom } from '../seeded-random.ts';
import { StreamFollower } from '../stream-follower.ts';

const CLIENTS = 4;
/** Longer than a lease. */
const SLEEP_MS = 5_000;
const REPEATS = 20;
const WRITES_WITHIN_MS = 60_000;
const RETRY_MS = 100;
const REFUSED_FOR_NOW = 503;
/** What a data directory has of its own, and every node of one log needs alike. */
const SHARED_FILES = ['keys', 'api-keys.json'];

/** What is done to the gateway that decides. Held back is what it sends to the servers, or what it is sent, or both. */
const TO_OWNER = ['kill -9', 'sleep', 'drain', 'cut off', 'mute', 'deaf'] as const;
/** What is done to the servers, or to all connections with them: whoever decides then goes on. */
const TO_SERVERS = ['kill a server', 'kill two servers', 'a server sleeps', 'reset'] as const;
export const EPISODES: readonly Episode[] = [...TO_OWNER, ...TO_SERVERS];

type ToOwner = (typeof TO_OWNER)[number];
type ToServers = (typeof TO_SERVERS)[number];
export type Episode = ToOwner | ToServers;

const HELD: Readonly<Partial<Record<Episode, readonly Direction[]>>> = {
  'cut off': ['up', 'down'],
  mute: ['up'],
  deaf: ['down'],
};

export interface Outage {
  how: Episode;
  /** From the fault until one of the two wrote again. Of servers, from when they were back. */
  ms: number;
  by: 'the same' | 'the other';
}

/** A gateway's directory and its network to each server. */
interface Node {
  place: GatewayPlace;
  links: readonly CutProxy[];
}

/**
 * Two gateways on one log in JetStream under mixed load, and in each episode one fault: of the gateway that decides, of its network to
 * the servers, or of the servers. One of the two goes on; everything acknowledged is there and repeats its answer, and who was
 * overtaken ends and wrote nothing.
 */
export async function takeOvers(
  servers: NatsServers,
  seed: number,
  episodes: readonly Episode[],
): Promise<{ report: Report; outages: Outage[] }> {
  const chaos = await Chaos.start(servers, seed);
  try {
    await chaos.run(episodes);
    return { report: chaos.report, outages: chaos.outages };
  } finally {
    await chaos.close();
  }
}

class Chaos {
  readonly report = new Report();
  readonly outages: Outage[] = [];
  readonly #servers: NatsServers;
  readonly #random: SeededRandom;
  readonly #agent: { end(): Promise<unknown> };
  readonly #journal = new Journal('take');
  readonly #load: MixedLoad;
  readonly #follower = new StreamFollower();
  #here: Node;
  #there: Node;

  private constructor(
    servers: NatsServers,
    seed: number,
    agent: { end(): Promise<unknown> },
    nodes: readonly [Node, Node],
  ) {
    this.#servers = servers;
    this.#random = new SeededRandom(seed);
    this.#load = new MixedLoad(this.#journal, this.#random);
    this.#agent = agent;
    [this.#here, this.#there] = nodes;
  }

  static async start(servers: NatsServers, seed: number): Promise<Chaos> {
    const agent = await startAgentProcess();
    const node = async (): Promise<Node> => {
      const links = await Promise.all(servers.ports.map(({ client }) => CutProxy.start(client)));
      const urls = links.map(({ address }) => `nats://${address}`);
      const place = new GatewayPlace({
        store: { kind: 'jetstream', servers: urls, replicas: urls.length, name: `chaos${seed}` },
        upstreams: { a2a: [{ id: 'sample', card: agent.cardUrl }] },
        limits: { cancel_wait_ms: 500, max_queued_tasks: 100_000 },
      });
      return { place, links };
    };
    return new Chaos(servers, seed, agent, [await node(), await node()]);
  }

  async close(): Promise<void> {
    await this.#agent.end();
    for (const { place, links } of [this.#here, this.#there]) {
      place.remove();
      for (const link of links) await link.close();
    }
  }

  async run(episodes: readonly Episode[]): Promise<void> {
    let owner = await this.#here.place.start();
    const [from, to] = [this.#here.place.data, this.#there.place.data];
    for (const name of SHARED_FILES)
      if (existsSync(join(from, name))) cpSync(join(from, name), join(to, name), { recursive: true });
    for (const how of episodes) {
      owner = await this.#episode(owner, how);
      await checkAcknowledged(owner.client, this.#journal, this.report);
      const known = this.#journal.entries.slice(-REPEATS);
      await this.#journal.repeat(owner.client, [...this.#journal.unknown, ...known], this.report);
      this.report.count(how);
    }
    await this.#finish(owner);
  }

  /** Returns the gateway that decides behind it. */
  async #episode(owner: GatewayProcess, how: Episode): Promise<GatewayProcess> {
    const standby = this.#there.place.launch();
    await this.#follower.open(owner.client);
    const running = this.#load.run(owner.client, CLIENTS);
    await pause(this.#random.between(300, 1_500));
    let startedMs = performance.now();
    const isOfServers = isToServers(how);
    const overcome = isOfServers
      ? await this.#disturb(how)
      : await stopped(owner, how, standby, this.#here.links);
    if (isOfServers) startedMs = performance.now();
    const other = standby.ready.then(() => 'the other' as const);
    const by = await (isOfServers ? Promise.race([other, this.#writes(owner)]) : other);
    this.outages.push({ how, ms: Math.round(performance.now() - startedMs), by });
    this.#load.stop();
    if (by === 'the same') {
      // The one that waits is not needed; a drain of it would wait too.
      await standby.kill();
      await Promise.all([running, this.#follower.leave()]);
      return owner;
    }
    // Calls to one that sleeps, or is cut off, are answered when it is not any more.
    const code = await overcome(owner);
    const expected = how === 'drain' ? 0 : OVERTAKEN;
    this.report.check(
      how === 'kill -9' || code === expected,
      () => `${how}: the former one ended with ${code}`,
    );
    await Promise.all([running, this.#follower.over()]);
    [this.#here, this.#there] = [this.#there, this.#here];
    return standby;
  }

  /** Resolves when the gateway takes a write again; never where it ended, as the other one then takes over. */
  async #writes({ client }: GatewayProcess): Promise<'the same'> {
    for (const untilMs = performance.now() + WRITES_WITHIN_MS; performance.now() < untilMs; ) {
      const answer = await client.call('POST', '/v1/sessions', { body: SESSION }).catch(() => undefined);
      if (answer === undefined) return new Promise(() => undefined);
      if (answer.status < 300) return 'the same';
      this.#checkRefusal(answer);
      await pause(RETRY_MS);
    }
    throw new Error(`Nobody wrote again within ${WRITES_WITHIN_MS} ms.`);
  }

  #checkRefusal({ status, headers, text }: Awaited<ReturnType<TestClient['call']>>): void {
    this.report.count('refused for now');
    this.report.check(
      status === REFUSED_FOR_NOW && Number(headers.get('retry-after')) > 0,
      () => `without its servers the gateway answers ${status}: ${text}`,
    );
  }

  async #disturb(how: ToServers): Promise<(owner: GatewayProcess) => Promise<number | null>> {
    const first = this.#random.between(0, this.#servers.urls.length - 1);
    const second = (first + 1) % this.#servers.urls.length;
    const forMs = this.#random.between(500, 4_000);
    if (how === 'reset')
      for (const { links } of [this.#here, this.#there]) for (const link of links) link.reset();
    if (how === 'a server sleeps') {
      await this.#servers.signal(first, 'SIGSTOP');
      await pause(forMs);
      await this.#servers.signal(first, 'SIGCONT');
    }
    if (how === 'kill a server' || how === 'kill two servers') {
      const killed = how === 'kill a server' ? [first] : [first, second];
      for (const at of killed) await this.#servers.signal(at, 'SIGKILL');
      await pause(forMs);
      await Promise.all(killed.map((at) => this.#servers.restart(at)));
    }
    return async (owner) => (await owner.child.ended).code;
  }

  async #finish(owner: GatewayProcess): Promise<void> {
    const { client } = owner;
    await settle(client, this.#journal, this.report);
    const events = await checkLog(client, this.report);
    await this.#follower.open(client);
    await this.#follower.leaveAfter(events.at(-1)?.id ?? '');
    this.#follower.compare(events, this.report);
    this.report.check((await owner.stop()).code === 0, () => 'the gateway did not stop cleanly');
    const { code, stdout } = await this.#here.place.check();
    this.report.check(code === 0 && stdout.includes(' 0 findings'), () => `log check: ${code} ${stdout}`);
  }
}

const SESSION = { workspace_id: 'workspace_default' };
/** Another one has the data. */
const OVERTAKEN = 4;

const isToServers = (how: Episode): how is ToServers => (TO_SERVERS as readonly string[]).includes(how);

/** Takes the owner out. What it returns lets it go on, waits for its end and says with which code that was. */
async function stopped(
  owner: GatewayProcess,
  how: ToOwner,
  standby: GatewayProcess,
  links: readonly CutProxy[],
): Promise<() => Promise<number | null>> {
  const ended = async () => (await owner.child.ended).code;
  if (how === 'drain' || how === 'kill -9') {
    const end = how === 'drain' ? owner.stop() : owner.kill();
    return async () => (await end).code;
  }
  const held = HELD[how];
  if (held === undefined) owner.child.process.kill('SIGSTOP');
  else for (const link of links) link.hold(...held);
  await Promise.race([pause(SLEEP_MS), standby.ready]);
  return () => {
    if (held === undefined) owner.child.process.kill('SIGCONT');
    else for (const link of links) link.release();
    return ended();
  };
}
