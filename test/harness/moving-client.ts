import type { JsonObject } from '#protocol/json.ts';
import type { Frame, Move, ProtocolClient, Turn } from '#protocol-client.ts';

/** An agent that does what its input says: the JSON part lists its moves, in one frame each. */
export class MovingClient implements ProtocolClient {
  readonly route = 'fake:moving';
  readonly materialPrefix = 'fake:moving';
  /** What it was given. */
  readonly turns: Turn[] = [];

  async *run(turn: Turn): AsyncIterable<Frame> {
    this.turns.push(turn);
    const [part] = turn.message?.parts ?? [];
    const moves = part?.type === 'json' ? ((part.value as JsonObject)['moves'] as JsonObject[]) : [];
    for (const move of moves) yield { kind: 'message', body: move };
    yield { kind: 'end' };
  }

  interpret(frame: Frame): Move[] {
    return frame.kind === 'message' ? [frame.body as unknown as Move] : [{ type: 'status', to: 'COMPLETED' }];
  }

  async *cancel(): AsyncIterable<Frame> {}
  describe(): undefined {
    return undefined;
  }
  start(): void {}
  async close(): Promise<void> {}
}
