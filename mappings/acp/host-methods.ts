import type { JsonObject } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';

/** What a client offers of its machine. Spec: ACP v1, `clientCapabilities.fs` and `clientCapabilities.terminal`. */
export const HOST_CAPABILITIES = ['readTextFile', 'writeTextFile', 'terminal'] as const;
export type HostCapability = (typeof HOST_CAPABILITIES)[number];

/** The capabilities that are offered, in the order of `HOST_CAPABILITIES`. */
export type HostOffer = readonly HostCapability[];

/** What a request of the agent to its client's machine is in words of tool calls. */
export interface HostMethodRow {
  readonly capability: HostCapability;
  /** `call`: begun and ended by one request. `begin`, `end`: of a call that takes several. `look`: ends it when it is over. */
  readonly step: 'call' | 'begin' | 'look' | 'end';
  /** What the call may do; a command may do anything. */
  readonly sideEffect: 'read' | 'write' | 'destructive';
  /**
   * What the policy holds it for, before it is done; what only goes on with a call has none. A command is held for a write:
   * agents ask for their commands themselves.
   */
  readonly judgedAs?: 'read' | 'write';
}

/** Requests that the client of the Session answers. Spec: ACP v1, "File System" and "Terminals". */
export const HOST_METHODS = {
  'fs/read_text_file': { capability: 'readTextFile', step: 'call', sideEffect: 'read', judgedAs: 'read' },
  'fs/write_text_file': { capability: 'writeTextFile', step: 'call', sideEffect: 'write', judgedAs: 'write' },
  'terminal/create': { capability: 'terminal', step: 'begin', sideEffect: 'destructive', judgedAs: 'write' },
  'terminal/output': { capability: 'terminal', step: 'look', sideEffect: 'read' },
  'terminal/wait_for_exit': { capability: 'terminal', step: 'end', sideEffect: 'read' },
  'terminal/kill': { capability: 'terminal', step: 'look', sideEffect: 'destructive' },
  'terminal/release': { capability: 'terminal', step: 'end', sideEffect: 'destructive' },
} as const satisfies Record<string, HostMethodRow>;
export type HostMethod = keyof typeof HOST_METHODS;

export function isHostMethod(method: string): method is HostMethod {
  return Object.hasOwn(HOST_METHODS, method);
}

/** Only `true` is an offer. */
export function offerOf(clientCapabilities: JsonObject): HostOffer {
  const given = { ...objectOf(clientCapabilities['fs']), terminal: clientCapabilities['terminal'] };
  return HOST_CAPABILITIES.filter((name) => (given as JsonObject)[name] === true);
}

/** The offer as the gateway passes it on to an agent. */
export function encodeOffer(offer: HostOffer): JsonObject {
  const has = (name: HostCapability) => offer.includes(name);
  return {
    fs: { readTextFile: has('readTextFile'), writeTextFile: has('writeTextFile') },
    terminal: has('terminal'),
  };
}
