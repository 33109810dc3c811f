import type { JsonValue } from '#protocol/json.ts';
import type { AgentDescription, Frame, Move, ProtocolClient, Turn } from '#protocol-client.ts';

/** What a puppet does in one turn: lists of moves, each of which becomes one recorded frame. */
export type Play = (turn: Turn, signal: AbortSignal) => AsyncIterable<Move[]>;

/** An agent in this process whose frames are the moves themselves, so that a test decides what happens and when. */
export class PuppetClient implements ProtocolClient {
  readonly route = 'test:puppet';
  readonly materialPrefix = 'test:puppet';
  readonly #play: Play;
  readonly #cancel: Play;

  constructor(play: Play, cancel: Play = nothing) {
    this.#play = play;
    this.#cancel = cancel;
  }

  run(turn: Turn, signal: AbortSignal): AsyncIterable<Frame> {
    return framesOf(this.#play(turn, signal));
  }

  cancel(turn: Turn, signal: AbortSignal): AsyncIterable<Frame> {
    return framesOf(this.#cancel(turn, signal));
  }

  interpret(frame: Frame): Move[] {
    if (frame.kind === 'message') return (frame.body as unknown as { moves: Move[] }).moves;
    if (frame.kind === 'end') return [];
    const { code, message } = frame;
    return [{ type: 'status', to: 'FAILED', failure: { code, type: 'upstream_error', message } }];
  }

  describe(): AgentDescription | undefined {
    return undefined;
  }

  start(): void {}

  async close(): Promise<void> {}
}

async function* framesOf(play: AsyncIterable<Move[]>): AsyncGenerator<Frame> {
  for await (const moves of play) yield { kind: 'message', body: { moves } as unknown as JsonValue };
}

async function* nothing(): AsyncGenerator<Move[]> {}

/** The text of the message a turn sends. */
export function textOf({ message }: Turn): string {
  const part = message?.parts[0];
  return part?.type === 'text' ? part.text : '';
}

export const bind = (turn: Turn): Move => ({ type: 'bind', binding: { remote_id: `remote-${turn.taskId}` } });

export const say = (text: string): Move => ({
  type: 'message',
  message: { role: 'agent', parts: [{ type: 'text', text, visibility: 'public' }] },
});

/** One chunk of the artifact of a turn. */
export function chunk(text: string, append: boolean, lastChunk = false): Move {
  const parts = [{ type: 'text', text, visibility: 'public' } as const];
  return { type: 'artifact', artifact: { upstreamId: 'answer', parts, append, lastChunk } };
}

/** Resolves when the gateway lets go of the turn. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
