import type { JsonObject } from '#protocol/json.ts';
import type { ServerConnection, ServerDeps } from '#protocol-server.ts';
import type { Peer } from '../../wire/peer.ts';
import type { GatewayCalls } from './calls.ts';
import type { WholeEvents } from './contents.ts';
import type { AttachedSession, Draft } from './follow.ts';
import type { Hosting } from './hosting.ts';
import type { LiveRole } from './live-roles.ts';
import type { Questions } from './questions.ts';
import type { SessionView } from './session-view.ts';
import type { Tunnels } from './tunnels.ts';
import type { Prompts } from './turns.ts';

/** What a client said of itself, and what the gateway keeps of one connection. */
export interface Conversation {
  deps: ServerDeps;
  connection: ServerConnection;
  peer: Peer;
  calls: GatewayCalls;
  questions: Questions;
  hosting: Hosting;
  tunnels: Tunnels;
  view: SessionView;
  prompts: Prompts;
  sessions: Map<string, AttachedSession>;
  clientCapabilities: JsonObject;
  /** Survives a reconnection where the client names it in `_meta.harn.clientId`. */
  clientId: string;
  clientInfo: JsonObject;
  /** Of the Sessions that it attached itself to. */
  roles: Map<string, LiveRole>;
  isInitialized: boolean;
  draft: Draft | undefined;
  whole: WholeEvents;
}

const MIN_MESSAGE_BYTES = 16 * 1024 * 1024;

/** The largest message of a client. A prompt holds files as base64; they become artifacts, which have a limit of their own. */
export function maxMessageBytes({ limits }: ServerDeps): number {
  return Math.max(limits.maxBodyBytes, MIN_MESSAGE_BYTES);
}
