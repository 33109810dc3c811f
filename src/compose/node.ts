import { announceGateway, withdrawGateway } from '#operation/data-directory.ts';
import { createIdSource } from '#protocol/ports.ts';
import { challengesOf } from '#surfaces/http/challenges.ts';
import { newRelaySecret, RelayedClients } from '#surfaces/http/relayed-clients.ts';
import { HostAllowList, TransportSecurity } from '#surfaces/http/request-checks.ts';
import { listen, type OpenDoor, urlOf } from '#surfaces/http/server.ts';
import { nodeTimers } from '#surfaces/timers.ts';
import type { Nodes } from './jetstream.ts';
import type { Parts } from './parts.ts';
import { httpLimits, serverSettings } from './surface.ts';

/** A node of a log that several share, until it decides. */
export interface OpenNode {
  /** The server that listens already, for the surface to take over. */
  door: OpenDoor;
  nodes: Nodes;
  /** What other nodes show that hand requests on to this one. */
  relaySecret(): string;
  /** This node decides from now on: it takes its other ports itself. */
  decides(): Promise<void>;
  close(): Promise<void>;
}

/** Listens at once, and hands on what comes while another node decides. Undefined where no other node could be told of this one. */
export async function openNode(parts: Parts): Promise<OpenNode | undefined> {
  const { config, logger, clock, random, version } = parts;
  const { advertise } = config.store;
  if (config.store.kind !== 'jetstream' || advertise === undefined) return undefined;
  const { PortRelay, Relay } = await import('#surfaces/relay/relays.ts');
  const settings = serverSettings(config);
  const { tls, trustedProxies, requireTls, allowedHosts, publicUrl, grpc } = settings;
  const newRequestId = createIdSource(clock, random);
  const relaySecret = newRelaySecret(random);
  let secretOfOwner: string | undefined;
  const relay = new Relay({
    version,
    clock,
    logger,
    timers: nodeTimers,
    newRequestId: () => newRequestId('req'),
    challenges: challengesOf(() => publicUrl ?? advertise, []),
    limits: httpLimits(config),
    ...(tls && { tls }),
    hosts: new HostAllowList(allowedHosts, publicUrl),
    transport: new TransportSecurity(trustedProxies, requireTls),
    clients: new RelayedClients(() => secretOfOwner),
    ownUrl: advertise,
  });
  const { host, port } = config.server;
  const url = urlOf(host, await listen(relay.server, host, port), tls !== undefined);
  const ports = grpc && (await PortRelay.open(grpc, { logger, timers: nodeTimers }));
  let stand: 'starts' | 'waits' | 'decides' = 'starts';
  return {
    door: relay,
    nodes: {
      signal: parts.signal,
      address: { url: advertise, relaySecret, ...(grpc && { grpcPort: grpc.port }) },
      onHolder(holder) {
        secretOfOwner = holder?.relaySecret;
        relay.ownerIs(holder?.url);
        const of = holder?.url === undefined ? undefined : new URL(holder.url).hostname;
        const owner =
          of === undefined || holder?.grpcPort === undefined
            ? undefined
            : { host: of, port: holder.grpcPort };
        ports?.ownerIs(owner);
        if (stand !== 'starts' || holder === undefined) return;
        stand = 'waits';
        // Commands of this machine are handed on as all that comes here.
        announceGateway(config.store.data, { url, pid: process.pid });
        parts.onWaiting?.(advertise);
      },
    },
    relaySecret: () => relaySecret,
    decides: async () => {
      // What decides says itself where it is.
      stand = 'decides';
      await ports?.leave();
    },
    close: async () => {
      if (stand === 'waits') withdrawGateway(config.store.data);
      await Promise.all([relay.close(config.limits.drain_timeout_ms), ports?.leave()]);
    },
  };
}
