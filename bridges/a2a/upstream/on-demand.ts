import type { HttpClient, HttpReply } from '../../outbound/http-client.ts';
import { abortable } from './abortable.ts';
import type { AgentOnDemand } from './config.ts';
import { Fault } from './fault.ts';

/**
 * The way to an agent that is started with its first call: its card is answered here, every other call goes to where the agent
 * listens. Rejects with a Fault that says why it does not start.
 */
export function onDemand(http: HttpClient, cardUrl: string, { card, agent }: AgentOnDemand): HttpClient {
  const cardHref = new URL(cardUrl).href;
  return {
    request: async (call) => {
      if (call.url.href === cardHref) return cardReply(card);
      // The caller may leave; the start goes on for the others.
      const host = agent.host ?? (await abortable(started(agent), call.signal));
      const url = new URL(call.url);
      url.host = host;
      return http.request({ ...call, url });
    },
    close: () => http.close(),
  };
}

function started(agent: AgentOnDemand['agent']): Promise<string> {
  return agent.start().catch((error: Error) => {
    throw new Fault('upstream_unavailable', error.message, { reason: 'agent_start' });
  });
}

function cardReply(card: string): HttpReply {
  return {
    status: 200,
    header: () => undefined,
    body: (async function* () {
      yield Buffer.from(card);
    })(),
    release: () => undefined,
  };
}
