import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { VERSION_HEADER } from '#protocol/versions.ts';
import { TestClient } from '../harness/client.ts';
import { Child, PACKAGE_ROOT } from './child-processes.ts';
import { Report } from './report.ts';

/** Each takes a descriptor of the gateway and one of this process. */
const MOST_STREAMS = 17_000;
/** The others share sockets. */
const PER_SOCKET = 4;
const JOINING = 50;
const WAIT_MS = 120_000;
const POLL_MS = 100;
const RATE = 1_000;
const SECONDS = 10;
/** So many followers are timed; the others are counted by what they got. */
const TIMED = 20;
const P99_MS = 1_000;

/** Descriptors that this process may have open. */
const openFiles = (): number => {
  const [, soft = '0'] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft);
};

/** Whether so many followers find room. */
export const canFollow = process.platform === 'linux' && openFiles() > MOST_STREAMS + 1_500;

/** So many followers of quiet sessions on one gateway: all are live, and all get what is said then. */
export function idleFollowers(size: number): Promise<Report> {
  return withGateway(async (client, child, report) => {
    const sessions = await Promise.all(Array.from({ length: PER_SOCKET }, () => client.session()));
    const ids = sessions.map(({ id }) => id);
    const before = residentKb(child);
    const streams = Math.min(size, MOST_STREAMS);
    const crowd = new Crowd(client);
    try {
      await crowd.stream(streams, ids);
      await crowd.subscribe(size - streams, ids);
      await pause(1_000);
      const metrics = (await client.call('GET', '/metrics')).text;
      const live = Number(/^harn_followers\{state="live"\} (\d+)$/m.exec(metrics)?.[1]);
      report.check(live === size, () => `${live} of ${size} followers are live`);
      report.measure('KB of RSS a follower', Math.round((residentKb(child) - before) / size));
      const startedAt = performance.now();
      for (const id of ids) await client.submit('hello', id);
      await until(() => crowd.ends === size || crowd.cut > 0);
      report.measure('ms until all had what was said', Math.round(performance.now() - startedAt));
      report.check(
        crowd.ends === size,
        () => `${crowd.ends} of ${size} followers saw the end of the task, ${crowd.cut} were cut`,
      );
      report.count('followers', crowd.ends);
    } finally {
      crowd.leave();
    }
  });
}

/** So many followers of one session while 1,000 events a second are said in it. */
export function eventRate(size: number): Promise<Report> {
  return withGateway(async (client, _child, report) => {
    const { id } = await client.session();
    const crowd = new Crowd(client, TIMED);
    try {
      await crowd.stream(size, [id]);
      const startedAt = performance.now();
      await client.submit(`burst ${RATE} ${SECONDS}`, id);
      await until(() => crowd.ends === size || crowd.cut > 0);
      const tookMs = performance.now() - startedAt;
      const sorted = crowd.latencies.sort((a, b) => a - b);
      const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.POSITIVE_INFINITY;
      report.measure('p99 of delivery, ms', p99);
      report.measure('median of delivery, ms', sorted[sorted.length >> 1] ?? 0);
      report.measure('deliveries a second', Math.round((RATE * SECONDS * size * 1_000) / tookMs));
      // A follower that takes too little is cut, and comes again; here that is one of a machine too slow for all of them.
      if (crowd.cut > 0) {
        report.measure('followers cut', crowd.cut);
        return;
      }
      report.check(crowd.ends === size, () => `${crowd.ends} of ${size} followers came to the end`);
      const isWhole = sorted.length === TIMED * RATE * SECONDS;
      report.check(isWhole, () => `${sorted.length} timed deliveries of ${TIMED * RATE * SECONDS}`);
      // On a busy machine it is no fault of the gateway: then nothing is shown, and nothing counts.
      if (p99 < P99_MS && isWhole) report.count('seconds at that rate', SECONDS);
    } finally {
      crowd.leave();
    }
  });
}

async function withGateway(
  run: (client: TestClient, child: Child, report: Report) => Promise<void>,
): Promise<Report> {
  const report = new Report();
  const data = mkdtempSync(join(tmpdir(), 'harn-followers-'));
  const child = new Child([`${PACKAGE_ROOT}dist/test/faults/followed-child.js`, data]);
  try {
    const line = await child.firstLine();
    if (line === undefined) throw new Error(`The gateway did not start: ${child.stderr}`);
    const { url, key } = JSON.parse(line) as { url: string; key: string };
    await run(new TestClient(url, key), child, report);
  } finally {
    await child.end('SIGKILL');
    rmSync(data, { recursive: true, force: true });
  }
  return report;
}

function residentKb({ process: { pid } }: Child): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

async function until(isDone: () => boolean): Promise<void> {
  for (const end = performance.now() + WAIT_MS; !isDone() && performance.now() < end; ) await pause(POLL_MS);
}

const END = 'event: task.completed\n';

/** Many who only listen. Each counts once for the end of the task in its session. */
class Crowd {
  readonly latencies: number[] = [];
  ends = 0;
  /** Connections that the gateway ended. */
  cut = 0;
  readonly #client: TestClient;
  readonly #timed: number;
  readonly #sockets: Socket[] = [];
  readonly #webSockets: WebSocket[] = [];
  #isLeaving = false;

  constructor(client: TestClient, timed = 0) {
    this.#client = client;
    this.#timed = timed;
  }

  /** Opens so many event streams, spread over the sessions. */
  async stream(count: number, sessions: readonly string[]): Promise<void> {
    for (let at = 0; at < count; at += JOINING)
      await Promise.all(
        Array.from({ length: Math.min(JOINING, count - at) }, (_, n) =>
          this.#stream(sessions[n % sessions.length] ?? ''),
        ),
      );
  }

  /** The same by subscriptions, of which each socket has one to every session. */
  async subscribe(count: number, sessions: readonly string[]): Promise<void> {
    for (let left = count; left > 0; left -= sessions.length) await this.#subscribe(sessions.slice(0, left));
  }

  leave(): void {
    this.#isLeaving = true;
    for (const socket of this.#sockets) socket.destroy();
    for (const socket of this.#webSockets) socket.terminate();
  }

  get #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#client.key}`, [VERSION_HEADER]: this.#client.version };
  }

  #stream(session: string): Promise<void> {
    const { hostname, port, host } = new URL(this.#client.url);
    const isTimed = this.#sockets.length < this.#timed;
    const lines = Object.entries({ host, ...this.#headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname);
      this.#sockets.push(socket);
      let isEnded = false;
      let rest = '';
      socket.once('error', reject);
      socket.once('close', () => {
        if (!this.#isLeaving) this.cut += 1;
      });
      socket.write(`GET /v1/sessions/${session}/events/stream HTTP/1.1\r\n${lines.join('')}\r\n`);
      socket.once('data', (head) => {
        if (!head.toString('latin1', 0, 15).includes(' 200')) reject(new Error(head.toString()));
        resolve();
      });
      socket.on('data', (bytes: Buffer) => {
        // What is split between two chunks is looked at with the next one.
        const text = rest + bytes.toString('latin1');
        rest = isTimed ? this.#time(text) : text.slice(-END.length);
        if (isEnded || !text.includes(END)) return;
        isEnded = true;
        this.ends += 1;
      });
    });
  }

  /** Takes the times of whole events; returns what is left of the text. */
  #time(text: string): string {
    const now = Date.now();
    const whole = text.lastIndexOf('\n\n') + 2;
    if (whole < 2) return text;
    for (const [, said] of text.slice(0, whole).matchAll(/"t=(\d+);"/g))
      this.latencies.push(now - Number(said));
    return text.slice(whole);
  }

  #subscribe(sessions: readonly string[]): Promise<void> {
    const socket = new WebSocket(`${this.#client.url.replace(/^http/, 'ws')}/v1/ws`, {
      headers: this.#headers,
    });
    this.#webSockets.push(socket);
    socket.on('close', () => {
      if (!this.#isLeaving) this.cut += 1;
    });
    return new Promise((resolve, reject) => {
      let acked = 0;
      socket.once('error', reject);
      socket.once('open', () => {
        for (const [at, session_id] of sessions.entries())
          socket.send(JSON.stringify({ type: 'subscribe', id: `s${at}`, stream: 'session', session_id }));
      });
      socket.on('message', (data) => {
        const text = String(data);
        if (text.startsWith('{"type":"error"')) reject(new Error(text));
        if (text.startsWith('{"type":"ack"')) acked += 1;
        if (acked === sessions.length) resolve();
        if (text.includes('"event":"task.completed"')) this.ends += 1;
      });
    });
  }
}
