import { openProcess } from './process-wire.ts';
import { openSocket } from './socket-wire.ts';
import type { AgentWire, WireListener, WireSettings } from './wire.ts';

/** Starts the configured program, or connects to the configured URL. */
export function openWire(settings: WireSettings, listener: WireListener): AgentWire {
  const { command, url } = settings.config;
  return url === undefined
    ? openProcess(settings, command ?? [], listener)
    : openSocket(settings, url, listener);
}
