import type { AgentCards } from '#cards/agent-cards.ts';
import type { JsonReader } from '#json/json-reader.ts';
import { decideTool } from '#policy/known-tool.ts';
import type { ProtocolClient } from '#protocol-client.ts';
import type { ProtocolServer, ServerAgent, ServerDeps } from '#protocol-server.ts';
import { isRefusedIn } from '#resources/permission/action-question.ts';
import { refuseSecretUrl } from '#resources/push/push-targets.ts';
import { nodeTimers } from '#surfaces/timers.ts';
import { type BridgeId, bridges } from '../../bridges/index.ts';
import type { Core } from './core.ts';
import type { Parts } from './parts.ts';

/** The face of every bridge that has one. */
export function makeServers(
  { config, clock, random, logger, version }: Parts,
  upstreams: ReadonlyMap<string, ProtocolClient>,
  { gateway, log, tools, sending }: Core,
  publicUrl: () => string,
  cards: AgentCards,
  json: JsonReader,
): ProtocolServer[] {
  const { limits } = config;
  const deps: ServerDeps = {
    gateway,
    clock,
    random,
    timers: nodeTimers,
    logger,
    newRequestId: () => tools.newId('req'),
    publicUrl,
    version,
    card: (agentId, form) => cards.a2a(agentId, publicUrl(), form),
    personaCard: (persona, form) => cards.persona(persona, publicUrl(), form),
    upstream: (route) => upstreams.get(route),
    agents: () => [...upstreams.values()].map((upstream) => agentOf(upstream, tools.routes.default)),
    checkReceiver: async (url) => {
      refuseSecretUrl(url, tools);
      await sending.checkTarget(url);
    },
    letsPass: (route, tool) => decideTool(tools.self.policy, route, tool).effect === 'allow',
    parseJson: (text) => json.readPeerText(text, limits.max_json_depth),
    drafts: config.server.drafts,
    refuses: (workspaceId, route, sideEffect) =>
      isRefusedIn({ get: log.state.bind(log) }, tools.self, workspaceId, { route, sideEffect }),
    limits: {
      maxBodyBytes: limits.max_body_bytes,
      maxJsonDepth: limits.max_json_depth,
      streamBufferBytes: limits.stream_buffer_bytes,
      heartbeatIntervalMs: limits.heartbeat_interval_ms,
    },
  };
  return (Object.keys(bridges) as BridgeId[]).flatMap((id) => bridges[id].createServer?.(deps) ?? []);
}

function agentOf(upstream: ProtocolClient, defaultRoute: string | undefined): ServerAgent {
  const { route } = upstream;
  const id = route.slice(route.indexOf(':') + 1);
  return { id, route, isDefault: route === defaultRoute, description: upstream.describe() };
}
