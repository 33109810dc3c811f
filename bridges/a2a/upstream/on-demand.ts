import type { HttpCall, HttpClient, HttpReply } from '../../outbound/http-client.ts';
import { abortable } from './abortable.ts';
import type { AgentOnDemand } from './config.ts';
import { Fault } from './fault.ts';

/**
 * The way to an agent that is started with its first call: its card is answered here, every other call goes to where the agent
 * then listens. Rejects with a Fault that says why it does not start.
 */
export function onDemand(http: HttpClient, cardUrl: string, agent: AgentOnDemand): HttpClient {
  const card = new URL(cardUrl).href;
  return {
    request: async (call) => {
      if (call.url.href === card) return cardReply(agent.card);
      const url = new URL(call.url);
      url.host = new URL(await originOf(agent, call)).host;
      return http.request({ ...call, url });
    },
    close: () => http.close(),
  };
}

/** The caller may leave; the start goes on for the others. */
async function originOf(agent: AgentOnDemand, { signal }: HttpCall): Promise<string> {
  const started = agent.origin().catch((error: Error) => {
    throw new Fault('upstream_unavailable', error.message, { reason: 'agent_start' });
  });
  return abortable(started, signal);
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
