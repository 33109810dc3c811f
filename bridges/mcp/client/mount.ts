import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { BridgeDeps } from '../../bridge.ts';
import type { MountedServer } from '../mounted-server.ts';
import type { Catalogue } from './catalogue.ts';
import type { McpLimits } from './config.ts';
import { type Connection, type Patience, whileAway } from './connection.ts';
import type { Connector } from './connector.ts';
import { needsTask } from './tools.ts';

export interface MountOptions {
  route: string;
  connector: Connector;
  catalogue: Catalogue;
  limits: McpLimits;
  deps: Pick<BridgeDeps, 'version'>;
  use(): () => void;
  /** How long a client waits for a server that is being started. */
  patience(): Patience;
  /** Rejects with a Fault while the server cannot be reached. */
  reached(): Promise<Connection>;
  /** Reads the list of tools again soon. */
  listAgain(): void;
}

/** A server for the clients that speak to it directly, each in its era, whichever one the server speaks. */
export function mountedServer(options: MountOptions): MountedServer {
  const { route, connector, use, catalogue, limits, deps, reached, listAgain } = options;
  // Which era it speaks is known once it was reached; a server that is not there is asked in the era of the client.
  const known = () => reached().then(undefined, () => undefined);
  return {
    route,
    row: connector,
    use,
    limits,
    transport: async () => {
      await known();
      return (await connector.takesSessions()) ? connector.transport() : sessionOver(options);
    },
    post: async () => {
      const { post } = connector;
      if (post !== undefined) await known();
      return connector.era === 'sessions' ? undefined : post;
    },
    connect: (peer, capabilities) =>
      connector.connect(peer, { info: { name: 'harn-gateway', version: deps.version }, capabilities }),
    judged: (name, definition) => catalogue.judged(name, definition, listAgain),
    needsTask: (name, capabilities) => {
      const tool = catalogue.find(name);
      return tool !== undefined && needsTask(tool, capabilities);
    },
  };
}

async function sessionOver({ connector, catalogue, limits, patience }: MountOptions): Promise<Transport> {
  const { StatelessAsSession: Opened } = await import('./stateless-as-session.ts');
  const { SUPPORTED_PROTOCOL_VERSIONS: revisions } = await import('@modelcontextprotocol/sdk/types.js');
  return new Opened({
    connect: (peer, as) => whileAway(() => connector.connect(peer, as), patience()),
    revisions,
    limits,
    inputSchemaOf: (tool) => catalogue.find(tool)?.inputSchema,
  });
}
