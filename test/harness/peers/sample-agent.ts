import { serveSampleAgent } from '../../../bridges/a2a/sample-agent/server.ts';
import { type Peer, type PeerOptions, RequestLog } from './peer.ts';

const FIRST_SECOND = Date.UTC(2026, 0, 1);

/** The bundled sample agent (A2A 1.0 and 0.3, @a2a-js/sdk 1.3), in this process, with a counting clock and ids. */
export async function startSampleAgent(options: PeerOptions = {}): Promise<Peer> {
  const log = new RequestLog();
  let ticks = 0;
  let ids = 0;
  const tick = () => {
    ticks += 1;
    return ticks;
  };
  const agent = await serveSampleAgent({
    ...options,
    clock: { now: () => FIRST_SECOND + tick(), monotonic: tick },
    newId: () => {
      ids += 1;
      return `agent-message-${ids}`;
    },
    reportError: (error) => {
      throw error; // An unhandled rejection fails the test run.
    },
    onCall: ({ method, path, headers, body }) => log.record(method, path, headers, body.toString('utf8')),
  });
  return {
    url: agent.url,
    cardUrl: agent.cardUrl,
    requests: log.requests,
    arrived: log.arrived,
    close: () => agent.close(),
  };
}
