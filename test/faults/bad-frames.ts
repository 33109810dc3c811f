import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { JsonObject } from '#protocol/json.ts';
import { DEFAULT_VERSION, VERSION_HEADER } from '#protocol/versions.ts';
import { ACP_MESSAGES, faceMessage, WS_MESSAGES } from './face-messages.ts';
import type { Report } from './report.ts';
import type { SeededRandom } from './seeded-random.ts';

/** Below what a socket may send in a second, and have at work at a time. */
const FRAMES_PER_SOCKET = 60;
/** Longer than any honest answer takes on a busy machine. */
const HANG_MS = 20_000;
/** Close codes by which a gateway refuses what it was sent (RFC 6455, 7.4.1). An internal error is none of them. */
const REFUSALS = [1002, 1003, 1007, 1008, 1009];

/** What a socket is sent to see that it still serves, and how the answer to that is known. */
interface SocketFace {
  name: 'ws' | 'acp';
  path: string;
  templates: typeof WS_MESSAGES;
  probe(id: string): object;
  /** An answer that tells of a fault inside of the gateway. */
  isBroken(frame: JsonObject): boolean;
}

const FACES: readonly SocketFace[] = [
  {
    name: 'ws',
    path: '/v1/ws',
    templates: WS_MESSAGES,
    probe: (id) => ({ type: 'ping', id }),
    isBroken: ({ error }) => (error as JsonObject | undefined)?.['code'] === 'internal_error',
  },
  {
    name: 'acp',
    path: '/acp',
    templates: ACP_MESSAGES,
    probe: (id) => ({ jsonrpc: '2.0', id, method: 'nothing/there' }),
    // Many refusals have the code of an internal error; the one of Harn stands behind it.
    isBroken: ({ error }) =>
      /"code":-32603(?!.*"harn":\{"code":"(?!internal_error))/.test(JSON.stringify(error ?? null)),
  },
];

/** So many frames on sockets of the Agents Protocol and of ACP: each is answered or refused, and then the socket still serves. */
export async function badFrames(
  { url, key }: { url: string; key: string },
  idOf: Parameters<typeof faceMessage>[2],
  random: SeededRandom,
  frames: number,
  report: Report,
): Promise<void> {
  for (let left = frames; left > 0; left -= FRAMES_PER_SOCKET) {
    const face = random.pick(FACES);
    const count = Math.min(left, FRAMES_PER_SOCKET);
    const sent = Array.from({ length: count }, () => faceMessage(face.templates, random, idOf));
    await oneSocket(`${url.replace(/^http/, 'ws')}${face.path}`, key, face, sent, report);
  }
}

async function oneSocket(
  url: string,
  key: string,
  face: SocketFace,
  sent: readonly { name: string; text: string }[],
  report: Report,
): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, [VERSION_HEADER]: DEFAULT_VERSION };
  const socket = new WebSocket(url, { headers });
  await once(socket, 'open');
  const probe = `probe-${sent.length}`;
  const show = () => sent.map(({ name, text }) => `${name}: ${text.slice(0, 300)}`).join(' | ');
  const code = await new Promise<number | 'served' | 'hang'>((resolve) => {
    const late = setTimeout(() => resolve('hang'), HANG_MS);
    socket.on('close', (closeCode) => resolve(closeCode));
    socket.on('error', () => undefined);
    socket.on('message', (data) => {
      const frame = JSON.parse(String(data)) as JsonObject;
      report.check(!face.isBroken(frame), () => `${face.name}: ${String(data)} for one of ${show()}`);
      if (frame['id'] !== probe) return;
      clearTimeout(late);
      resolve('served');
    });
    for (const { text } of sent) socket.send(text);
    socket.send(JSON.stringify(face.probe(probe)));
  });
  socket.terminate();
  report.count('requests', sent.length);
  report.count(`requests of ${face.name}`, sent.length);
  if (typeof code === 'number') report.count(`sockets closed with ${code}`);
  report.check(
    code === 'served' || (typeof code === 'number' && REFUSALS.includes(code)),
    () => `${face.name} ended with ${code} for ${show()}`,
  );
}
