import { cpSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { TestClient } from '../../harness/client.ts';
import { CutProxy, type Direction } from '../../harness/cut-proxy.ts';
import type { NatsServers } from '../../harness/nats-servers.ts';
import { freePorts } from '../../harness/round-robin.ts';
import { PACKAGE_ROOT, PROGRAM } from '../child-processes.ts';
import { GatewayPlace, GatewayProcess, KEY, startAgentProcess } from '../gateway-process.ts';
import { Journal } from '../journal.ts';
import { settle } from '../kill-nine-cycles.ts';
import { checkAcknowledged, checkLog } from '../log-oracle.ts';
import { MixedLoad } from '../mixed-load.ts';
import { Report } from '../report.ts';
import { SeededRandom } from '../seeded-random.ts';
import { StreamFollower } from '../stream-follower.ts';
import { Probe } from './probe.ts';

const NODES = 3;
const CLIENTS = 3;
/** How long a fault stays: of a gateway until another one decides, at most so long. */
const TAKEN_OVER_MS = 60_000;
const ONE_DECIDES_MS = 120_000;
const LOOK_MS = 20;
/** Of what each node said, for a run that broke. */
const SHOWN_LOG = 4_000;
const REPEATS = 20;
const TURNS = 5;
const HOUR_MS = 3_600_000;
/** A server that runs one of ten parts of the time. */
const SLOW = { stopsMs: 90, runsMs: 10 };
/** Another one has the data. */
const OVERTAKEN = 4;
/** What a data directory has of its own, and every node of one log needs alike. */
const SHARED_FILES = ['keys', 'api-keys.json'];
const CLOCK = `${PACKAGE_ROOT}dist/test/faults/moving-wall-clock.js`;

/** Of the gateway that decides; afterwards another one does. */
const TO_OWNER = ['kill -9', 'kill two', 'sleep', 'drain', 'cut off', 'mute', 'deaf'] as const;
/** Of one that hands on, of the way between it and the one that decides, and of clocks: whoever decides goes on. */
const TO_NODES = [
  'kill another',
  'owner out of reach',
  'owner is not asked',
  'owner is not heard',
  'a clock jumps',
] as const;
const TO_SERVERS = [
  'kill a server',
  'kill the leader',
  'kill two servers',
  'a server sleeps',
  'the leader sleeps',
  'the leader is slow',
  'reset',
  'servers split',
  'a server is mute',
  'a server is deaf',
] as const;
/** Only where a small disk can be mounted. */
const TO_DISKS = ['full disk'] as const;

export type NodeEpisode = (typeof TO_OWNER | typeof TO_NODES | typeof TO_SERVERS | typeof TO_DISKS)[number];
export const EPISODES_OF_NODES: readonly NodeEpisode[] = [...TO_OWNER, ...TO_NODES, ...TO_SERVERS];
export const EPISODES_OF_DISKS: readonly NodeEpisode[] = TO_DISKS;

const HELD: Readonly<Partial<Record<NodeEpisode, readonly Direction[]>>> = {
  'cut off': ['up', 'down'],
  mute: ['up'],
  deaf: ['down'],
  'owner out of reach': ['up', 'down'],
  'owner is not asked': ['up'],
  'owner is not heard': ['down'],
  'servers split': ['up', 'down'],
  'a server is mute': ['up'],
  'a server is deaf': ['down'],
};

/** Takes a fault back. Resolves when what it was done to is there again. */
type Undo = () => Promise<void> | void;

/** A gateway, its network to each server, and the way on which the others reach it. */
class Node {
  readonly place: GatewayPlace;
  readonly links: readonly CutProxy[];
  readonly door: CutProxy;
  readonly client: TestClient;
  process: GatewayProcess;

  constructor(place: GatewayPlace, links: readonly CutProxy[], door: CutProxy, port: number) {
    this.place = place;
    this.links = links;
    this.door = door;
    this.client = new TestClient(`http://127.0.0.1:${port}`, KEY);
    this.process = this.#launched();
  }

  /** Behind the first one, whose keys it has. */
  static async start(
    servers: NatsServers,
    port: number,
    first: Node | undefined,
    { name, card }: { name: string; card: string },
  ): Promise<Node> {
    const links = await Promise.all(servers.ports.map(({ client }) => CutProxy.start(client)));
    const door = await CutProxy.start(port);
    const store = {
      kind: 'jetstream',
      servers: links.map(({ address }) => `nats://${address}`),
      replicas: links.length,
      name,
      advertise: `http://${door.address}`,
    };
    const place = new GatewayPlace({
      server: { port },
      store,
      upstreams: { a2a: [{ id: 'sample', card }] },
      limits: { cancel_wait_ms: 500, max_queued_tasks: 100_000 },
    });
    for (const file of SHARED_FILES) {
      const from = first && join(first.place.data, file);
      if (from !== undefined && existsSync(from)) cpSync(from, join(place.data, file), { recursive: true });
    }
    const node = new Node(place, links, door, port);
    await node.process.ready;
    return node;
  }

  async close(): Promise<void> {
    await this.process.kill();
    this.place.remove();
    for (const proxy of [...this.links, this.door]) await proxy.close();
  }

  #launched(): GatewayProcess {
    const args = ['--import', CLOCK, PROGRAM, 'serve', '--config', this.place.config];
    return new GatewayProcess(args, { XDG_STATE_HOME: this.place.state, HARN_TEST_CLOCK: this.#clock });
  }

  get #clock(): string {
    return join(this.place.folder, 'clock');
  }

  get isUp(): boolean {
    const { exitCode, signalCode } = this.process.child.process;
    return exitCode === null && signalCode === null;
  }

  /** Whether it runs and has said that it decides. */
  get decides(): boolean {
    return this.isUp && this.process.child.stdout.includes('"event":"ready"');
  }

  async restart(): Promise<void> {
    this.process = this.#launched();
    await this.process.ready;
  }

  signal(signal: NodeJS.Signals): void {
    this.process.child.process.kill(signal);
  }

  moveClock(aheadMs: number): void {
    writeFileSync(this.#clock, String(aheadMs));
    this.signal('SIGUSR2');
  }
}

/**
 * Three gateways on one log in JetStream, all of which serve, under mixed load, and in each episode one fault: of gateways, of the network
 * between them and to the servers, of the servers, of the network and the disks of these, and of clocks. Everything acknowledged is there
 * and repeats its answer, whichever is asked; each follower sees each event once and in order, and every task has one end.
 */
export async function threeNodes(
  servers: NatsServers,
  seed: number,
  episodes: readonly NodeEpisode[],
): Promise<Report> {
  const chaos = await ThreeNodes.start(servers, seed);
  try {
    await chaos.run(episodes);
    return chaos.report;
  } finally {
    await chaos.close();
  }
}

class ThreeNodes {
  readonly report = new Report();
  readonly #servers: NatsServers;
  readonly #stream: string;
  readonly #random: SeededRandom;
  readonly #agent: { end(): Promise<unknown> };
  readonly #journal = new Journal('nodes');
  readonly #load: MixedLoad;
  readonly #nodes: readonly Node[];
  /** Those that clients ask in this episode. */
  #asked: readonly Node[] = [];
  readonly #followers = Array.from({ length: NODES }, () => new StreamFollower());
  #isFollowed = true;

  private constructor(
    servers: NatsServers,
    seed: number,
    agent: { end(): Promise<unknown> },
    nodes: readonly Node[],
  ) {
    this.#servers = servers;
    this.#stream = `HARN_${nameOf(seed)}_0000`;
    this.#random = new SeededRandom(seed);
    this.#load = new MixedLoad(this.#journal, this.#random);
    this.#agent = agent;
    this.#nodes = nodes;
  }

  static async start(servers: NatsServers, seed: number): Promise<ThreeNodes> {
    const agent = await startAgentProcess();
    const nodes: Node[] = [];
    const chaos = new ThreeNodes(servers, seed, agent, nodes);
    try {
      for (const port of await freePorts(NODES))
        nodes.push(
          await Node.start(servers, port, nodes[0], {
            name: nameOf(seed),
            card: agent.cardUrl,
          }),
        );
    } catch (error) {
      await chaos.close();
      throw error;
    }
    return chaos;
  }

  async close(): Promise<void> {
    await this.#agent.end();
    for (const node of this.#nodes) await node.close();
  }

  async run(episodes: readonly NodeEpisode[]): Promise<void> {
    const following = this.#followers.map((follower, at) => this.#follow(follower, at));
    for (const how of episodes) {
      try {
        await this.#episode(how);
        await this.#check();
      } catch (cause) {
        const said = this.#nodes.map(
          ({ process }, at) => `node ${at}: ${process.child.stderr.slice(-SHOWN_LOG)}`,
        );
        throw new Error(`Broke in "${how}".\n${said.join('\n')}`, { cause });
      }
      this.report.count(how);
    }
    await this.#finish(following);
  }

  /** Whoever is asked has what was acknowledged, and repeats its answers. */
  #check(): Promise<void> {
    return this.#ofAny(async (client) => {
      await checkAcknowledged(client, this.#journal, this.report);
      const known = this.#journal.entries.slice(-REPEATS);
      await this.#journal.repeat(client, [...this.#journal.unknown, ...known], this.report);
    });
  }

  /** Asks a node. One that gets no processor for longer than its lease may end at any moment: then another one is asked. */
  async #ofAny<T>(ask: (client: TestClient) => Promise<T>): Promise<T> {
    for (let turn = 1; ; turn += 1)
      try {
        return await ask(this.#random.pick(this.#nodes).client);
      } catch (error) {
        if (turn === TURNS) throw error;
        this.report.count('asked again elsewhere');
        await this.#oneDecides('asking');
        await this.#allRun('asking', undefined);
      }
  }

  /** Resumes at another node after each end of a stream. */
  async #follow(follower: StreamFollower, first: number): Promise<void> {
    for (let at = first; this.#isFollowed; at += 1) {
      const node = this.#nodes[at % NODES] as Node;
      await follower.open(node.client).catch(() => undefined);
      if (this.#isFollowed) await follower.over();
      await pause(LOOK_MS);
    }
  }

  async #episode(how: NodeEpisode): Promise<void> {
    const owner = await this.#owner();
    this.#asked = this.#nodes;
    const running = this.#load.runOn(() => this.#asked.map(({ client }) => client), CLIENTS);
    await pause(this.#random.between(300, 1_500));
    const probe = new Probe(this.#journal, this.report);
    const undo = await this.#disturb(how, owner, probe);
    await undo();
    // What it tells is a service that is there again.
    const { gapMs } = await probe.stop();
    this.report.sample(`ms without service, ${how}`, gapMs);
    const isOwners = (TO_OWNER as readonly string[]).includes(how);
    await this.#oneDecides(how);
    await this.#allRun(how, isOwners ? owner : undefined);
    this.#load.stop();
    await running;
  }

  /** Does it, and waits for as long as it is to last. */
  #disturb(how: NodeEpisode, owner: Node, probe: Probe): Promise<Undo> {
    if (isOneOf(TO_OWNER, how)) return this.#disturbOwner(how, owner, probe);
    if (isOneOf(TO_NODES, how)) return this.#disturbNodes(how, owner, probe);
    this.#ask(this.#nodes, probe);
    return this.#disturbServers(how, probe);
  }

  /** Whom load and probe ask from now on. */
  #ask(nodes: readonly Node[], probe: Probe): void {
    this.#asked = nodes;
    probe.ask(nodes.map(({ client }) => client));
  }

  async #disturbOwner(how: (typeof TO_OWNER)[number], owner: Node, probe: Probe): Promise<Undo> {
    const held = HELD[how];
    const others = this.#nodes.filter((node) => node !== owner);
    const second = how === 'kill two' ? this.#random.pick(others) : undefined;
    this.#ask(
      others.filter((node) => node !== second),
      probe,
    );
    if (how === 'sleep') owner.signal('SIGSTOP');
    else if (how === 'drain') owner.signal('SIGTERM');
    else if (held === undefined) for (const node of [owner, second]) node?.signal('SIGKILL');
    else for (const link of owner.links) link.hold(...held);
    const isTaken = await within(TAKEN_OVER_MS, () => others.some(({ decides }) => decides));
    this.report.check(isTaken, () => `${how}: nobody took over within ${TAKEN_OVER_MS} ms`);
    return () => {
      if (how === 'sleep') owner.signal('SIGCONT');
      for (const link of owner.links) link.release();
    };
  }

  async #disturbNodes(how: (typeof TO_NODES)[number], owner: Node, probe: Probe): Promise<Undo> {
    const forMs = this.#random.between(500, 6_000);
    const others = this.#nodes.filter((node) => node !== owner);
    if (how === 'kill another') {
      const victim = this.#random.pick(others);
      this.#ask(
        this.#nodes.filter((node) => node !== victim),
        probe,
      );
      victim.signal('SIGKILL');
      await pause(forMs);
      return () => undefined;
    }
    if (how === 'a clock jumps') {
      this.#ask(this.#nodes, probe);
      this.#random.pick(this.#nodes).moveClock(this.#random.between(-HOUR_MS, HOUR_MS));
      await pause(forMs);
      return () => undefined;
    }
    // What the load asks of the others waits, or is refused. The one that decides serves.
    probe.ask([owner.client]);
    owner.door.hold(...(HELD[how] ?? []));
    await pause(forMs);
    return () => {
      owner.door.release();
      this.#ask(others, probe);
    };
  }

  async #disturbServers(how: (typeof TO_SERVERS | typeof TO_DISKS)[number], probe: Probe): Promise<Undo> {
    const all = this.#servers.urls.length;
    const leader = (await this.#servers.leaderOf(this.#stream)) ?? 0;
    const first =
      how.includes('leader') || this.#random.chance(0.5) ? leader : this.#random.between(0, all - 1);
    const second = (first + 1) % all;
    // Long enough for an election, or too short for one.
    const forMs = this.#random.between(500, 12_000);
    if (how.startsWith('kill')) {
      const killed = how === 'kill two servers' ? [first, second] : [first];
      for (const at of killed) await this.#servers.signal(at, 'SIGKILL');
      await pause(forMs);
      return async () => {
        await Promise.all(killed.map((at) => this.#servers.restart(at)));
        // Nobody writes without two of three: what counts is what follows their return.
        if (killed.length > 1) probe.startAnew();
      };
    }
    if (how.endsWith('sleeps')) {
      await this.#servers.signal(first, 'SIGSTOP');
      await pause(forMs);
      return () => this.#servers.signal(first, 'SIGCONT');
    }
    if (how === 'the leader is slow') {
      for (const until = performance.now() + forMs; performance.now() < until; ) {
        await this.#servers.signal(first, 'SIGSTOP');
        await pause(SLOW.stopsMs);
        await this.#servers.signal(first, 'SIGCONT');
        await pause(SLOW.runsMs);
      }
      return () => undefined;
    }
    if (how === 'reset') {
      for (const { links } of this.#nodes) for (const link of links) link.reset();
      return () => undefined;
    }
    if (how === 'full disk') {
      this.#servers.fill(first);
      await pause(forMs);
      return async () => {
        this.#servers.free(first);
        // A server that met a full disk takes up its streams again when it is started again.
        await this.#servers.signal(first, 'SIGKILL');
        await this.#servers.restart(first);
      };
    }
    this.#servers.split(first, ...(HELD[how] ?? []));
    await pause(forMs);
    return () => this.#servers.heal();
  }

  /** The node that decides; there is one between two episodes. */
  async #owner(): Promise<Node> {
    await within(ONE_DECIDES_MS, () => this.#nodes.some(({ decides }) => decides));
    const found = this.#nodes.find(({ decides }) => decides);
    if (found === undefined) throw new Error('No node decides.');
    return found;
  }

  async #oneDecides(how: NodeEpisode | 'asking'): Promise<void> {
    const count = () => this.#nodes.filter(({ decides }) => decides).length;
    const isOne = await within(ONE_DECIDES_MS, () => count() === 1);
    this.report.check(isOne, () => `${how}: ${count()} nodes decide`);
  }

  /** Starts those again that ended: killed, or overtaken, and `former` for sure. */
  async #allRun(how: NodeEpisode | 'asking', former: Node | undefined): Promise<void> {
    for (const node of this.#nodes) {
      if (node === former && !how.startsWith('kill')) await node.process.child.ended;
      if (node.isUp) continue;
      const { code, signal, stderr } = await node.process.child.ended;
      const isExpected = signal === 'SIGKILL' || code === (how === 'drain' ? 0 : OVERTAKEN);
      this.report.check(
        isExpected,
        () => `${how}: a node ended with ${code ?? signal}: ${stderr.slice(-500)}`,
      );
      if (code === OVERTAKEN) this.report.count('overtaken');
      await node.restart();
    }
  }

  async #finish(following: readonly Promise<void>[]): Promise<void> {
    const events = await this.#ofAny(async (client) => {
      await settle(client, this.#journal, this.report);
      return checkLog(client, this.report);
    });
    this.#isFollowed = false;
    for (const follower of this.#followers) await follower.leave();
    await Promise.all(following);
    for (const follower of this.#followers) {
      await this.#ofAny((client) => follower.open(client));
      await follower.leaveAfter(events.at(-1)?.id ?? '');
      follower.compare(events, this.report);
    }
    const owner = await this.#owner();
    for (const node of [...this.#nodes].sort((one) => (one === owner ? 1 : -1))) {
      const { code } = await node.process.stop();
      this.report.check(code === 0, () => `a node did not stop cleanly: ${code}`);
      const checked = await node.place.check();
      const isSound = checked.code === 0 && checked.stdout.includes(' 0 findings');
      this.report.check(isSound, () => `log check: ${checked.code} ${checked.stdout}`);
    }
  }
}

const nameOf = (seed: number): string => `nodes${seed}`;

function isOneOf<T extends string>(all: readonly T[], one: string): one is T {
  return (all as readonly string[]).includes(one);
}

/** Whether it becomes true within so many milliseconds. */
async function within(limitMs: number, isTrue: () => boolean): Promise<boolean> {
  for (const until = performance.now() + limitMs; !isTrue(); await pause(LOOK_MS))
    if (performance.now() > until) return false;
  return true;
}
