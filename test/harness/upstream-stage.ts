import { canonicalJson } from '#json/canonical.ts';
import { parseMended, parsePeerText } from '#json/json-reader.ts';
import type { Frame, OutboundMessage, ProtocolClient, Turn } from '#protocol-client.ts';
import { type A2aClientConfig, a2aBridge } from '../../bridges/a2a/index.ts';
import type { BridgeDeps, Timers } from '../../bridges/bridge.ts';
import { Past } from './past.ts';

/** Real timers, but waits of exactly these lengths are over at once. */
export function hastyTimers(...hastyMs: readonly number[]): Timers {
  return {
    setTimeout: (run, ms) => setTimeout(run, hastyMs.includes(ms) ? 1 : ms),
    clearTimeout: (handle) => clearTimeout(handle as NodeJS.Timeout),
  };
}

/** Without a process guard: a test that starts children gives one. */
export function bridgeDeps(overrides: Partial<BridgeDeps> = {}): BridgeDeps {
  const silent = () => undefined;
  return {
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    timers: hastyTimers(),
    random: { bytes: (size) => new Uint8Array(size) },
    publicUrl: silent,
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    readSecret: (ref) => `secret-of-${Object.values(ref).join()}`,
    credential: async ({ type, name = '', value }) => {
      const secret = `secret-of-${Object.values(value).join()}`;
      return type === 'header' ? { [name.toLowerCase()]: secret } : { authorization: `Bearer ${secret}` };
    },
    parseJson: (text) => parsePeerText(text),
    mendJson: (text) => parseMended(text),
    keptCards: { load: () => undefined, save: async () => undefined },
    redact: (value) => ({ value, hit: false }),
    canonicalJson,
    version: '0.0.0-test',
    environment: process.env,
    definitions: { pinned: () => undefined, report: () => undefined },
    guard: { watch: silent, release: silent },
    ...overrides,
  };
}

export function a2aUpstream(
  config: Omit<A2aClientConfig, 'id'>,
  deps: Partial<BridgeDeps> = {},
): ProtocolClient {
  const [upstream] = a2aBridge.createClients([{ id: 'peer', ...config }], bridgeDeps(deps));
  if (upstream === undefined) throw new Error('The bridge made no upstream.');
  return upstream;
}

export function textMessage(text: string, id = `message-${text}`): OutboundMessage {
  return {
    id,
    role: 'user',
    parts: [{ type: 'text', text, visibility: 'public' }],
    metadata: {},
    artifacts: new Map(),
  };
}

/** One task of a test: runs turns, applies what they mean and keeps every frame. */
export class TaskOnStage {
  readonly past = new Past();
  readonly frames: Frame[] = [];
  readonly #upstream: ProtocolClient;
  readonly #waiting: { count: number; resolve: () => void }[] = [];

  constructor(upstream: ProtocolClient) {
    this.#upstream = upstream;
  }

  /** Resolves when so many frames have been seen. */
  saw(count: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ count, resolve }));
  }

  start(text: string): Promise<this> {
    return this.play(this.turn('start', textMessage(text)));
  }

  /** The core is back at WORKING before the upstream hears of the answer. */
  continue(text: string): Promise<this> {
    this.past.status = 'WORKING';
    return this.play(this.turn('continue', textMessage(text)));
  }

  reattach(): Promise<this> {
    return this.play(this.turn('reattach'));
  }

  turn(kind: Turn['kind'], message?: OutboundMessage): Turn {
    const { binding, sessionBinding } = this.past;
    return {
      kind,
      taskId: 't1',
      sessionId: 's1',
      binding,
      sessionBinding,
      bindingOf: () => undefined,
      tasksBoundTo: async () => new Map(),
      metadataSaid: () => [],
      tasksForked: () => [],
      sessionMetadata: {},
      judge: () => undefined,
      remembers: () => false,
      history: () => [],
      answerTo: () => undefined,
      isCanceled: () => false,
      ...(message !== undefined && { message }),
    };
  }

  async play(turn: Turn, signal = new AbortController().signal): Promise<this> {
    return this.take(this.#upstream.run(turn, signal));
  }

  async cancel(): Promise<this> {
    return this.take(this.#upstream.cancel(this.turn('reattach'), new AbortController().signal));
  }

  async take(frames: AsyncIterable<Frame>): Promise<this> {
    for await (const frame of frames) this.see(frame);
    return this;
  }

  see(frame: Frame): void {
    this.frames.push(frame);
    this.past.apply(this.#upstream.interpret(frame, this.past));
    for (const { count, resolve } of this.#waiting) if (this.frames.length >= count) resolve();
  }
}
