import type { HostOffer } from '../../../mappings/acp/host-methods.ts';
import type { BridgeDeps } from '../../bridge.ts';
import type { Fault } from '../../wire/faults.ts';
import type { Overhear } from './between-turns.ts';
import type { AcpLimits, AcpUpstreamConfig } from './config.ts';

/** The way to one running agent: whole messages as text, both ways. */
export interface AgentWire {
  send(text: string): void;
  /** Ends it in good order, or by force after a while. Resolves when nothing of it is left. */
  close(): Promise<void>;
}

export interface WireListener {
  /** One message; `noise` says how to read a line that is none. */
  text(text: string): void;
  /** Called once: the agent is gone. */
  ended(why: Fault): void;
}

export interface WireSettings {
  config: AcpUpstreamConfig;
  limits: AcpLimits;
  deps: BridgeDeps;
}

/** What all agents of a route are run with. */
export interface RouteSettings extends WireSettings {
  overhear: Overhear;
}

/** How one agent is run: with what its clients offer. */
export interface AgentSettings extends RouteSettings {
  offer: HostOffer;
}
