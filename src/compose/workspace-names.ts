import type { Config } from '#config/load.ts';
import { DEFAULT_WORKSPACE, LOCAL_WORKSPACE } from '#config/sections/tenancy.ts';
import { isLoopbackHost } from '#config/shapes.ts';
import type { WorkspaceIdOf } from '#core/gateway-core.ts';
import { unlessDamaged } from '#core/unless-damaged.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import { stateKey } from '#resources/state-keys.ts';

/** On loopback the examples of Harn's SDKs find the default workspace under the name they use, unless one has that name itself. */
export function workspaceNames(
  { server }: Pick<Config, 'server'>,
  log: Pick<EventLog, 'state'>,
): WorkspaceIdOf {
  if (!isLoopbackHost(server.host)) return (name) => name;
  const exists = (name: string) =>
    unlessDamaged(() => log.state(stateKey.workspace(name)) !== undefined, true);
  return (name) => (name === LOCAL_WORKSPACE && !exists(name) ? DEFAULT_WORKSPACE : name);
}
