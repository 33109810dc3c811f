import type { ProtocolClient } from '#protocol-client.ts';
import type { A2aClientConfig } from '../../bridges/a2a/index.ts';
import type { BridgeDeps } from '../../bridges/bridge.ts';
import { keeper } from './keeper.ts';
import type { Script } from './peers/script.ts';
import { type ScriptedPeer, startScriptedAgent } from './peers/scripted-agent.ts';
import { a2aUpstream, TaskOnStage } from './upstream-stage.ts';

/** Waits of the gateway that a test does not want to sit through, in milliseconds. */
export const WAITS = {
  card: [10_000],
  poll: [200, 400, 800, 1_600, 3_200],
  reconnect: [250, 500, 1_000, 2_000, 4_000, 8_000],
  rediscover: [1_000, 2_000, 4_000, 8_000, 16_000, 30_000],
} as const;

export interface ScriptedStage {
  peer: ScriptedPeer;
  upstream: ProtocolClient;
  task: TaskOnStage;
}

/** Things that are closed after each test, last one first. Call once per test file. */
export function stageHands() {
  const { kept } = keeper();
  /** A scripted agent and one task that runs on it. */
  const stage = async (
    script: Script,
    config: Partial<A2aClientConfig> = {},
    card?: (origin: string) => unknown,
    deps: Partial<BridgeDeps> = {},
  ): Promise<ScriptedStage> => {
    const peer = kept(await startScriptedAgent(script, card === undefined ? {} : { card }));
    const upstream = kept(a2aUpstream({ card: peer.cardUrl, ...config }, deps));
    return { peer, upstream, task: new TaskOnStage(upstream) };
  };
  return { kept, stage };
}

/** Something the test says once. */
export function signal(): { given: Promise<void>; give: () => void } {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

export function operations(peer: ScriptedPeer): string[] {
  return peer.requests
    .map(({ operation }) => operation)
    .filter((name) => !name.startsWith('GET /.well-known'));
}
