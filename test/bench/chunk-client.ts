import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentDescription, Frame, Move, ProtocolClient, Turn } from '#protocol-client.ts';

/** Between two chunks, as of an agent that speaks while it thinks: each chunk finds the gateway idle. */
const PAUSE_MS = 1;

/** What the gateway's process spent while so many chunks of a task were taken, microseconds of CPU. */
export interface ChunkCost {
  firstUs: number;
  lastUs: number;
  chunks: number;
}

/** An agent in the gateway's own process that says its answer in as many chunks as the text asks for ("chunks 1000"). */
export class ChunkClient implements ProtocolClient {
  readonly route = 'bench:chunks';
  readonly materialPrefix = 'bench:chunks';
  readonly #costs: ChunkCost[] = [];

  /** Costs of the tasks that ended since the last call. */
  takeCosts(): ChunkCost[] {
    return this.#costs.splice(0);
  }

  /** A fifth of the chunks is measured, behind the first fifth and at the end. */
  async *run(turn: Turn): AsyncGenerator<Frame> {
    const count = Number(textOf(turn).split(' ')[1]);
    const share = Math.floor(count / 5);
    const marks: number[] = [];
    try {
      for (let n = 0; n < count; n += 1) {
        if (n === share || n === 2 * share || n === count - share) marks.push(cpuUs());
        yield { kind: 'message', body: { chunk: `piece ${n} of what the agent says `, at: n, of: count } };
        await sleep(PAUSE_MS);
      }
    } finally {
      // Nobody asks for more behind the chunk that completes the task.
      const [first = 0, behind = 0, last = 0] = marks;
      this.#costs.push({ firstUs: behind - first, lastUs: cpuUs() - last, chunks: share });
    }
  }

  async *cancel(): AsyncGenerator<Frame> {
    yield { kind: 'end' };
  }

  interpret(frame: Frame): Move[] {
    if (frame.kind !== 'message') return [];
    const { chunk, at, of } = frame.body as { chunk: string; at: number; of: number };
    const parts = [{ type: 'text', text: chunk, visibility: 'public' } as const];
    const lastChunk = at === of - 1;
    const artifact = { upstreamId: 'said', parts, append: at > 0, lastChunk };
    return [
      { type: 'artifact', artifact },
      ...(lastChunk ? [{ type: 'status', to: 'COMPLETED' } as const] : []),
    ];
  }

  describe(): AgentDescription | undefined {
    return undefined;
  }

  start(): void {}

  async close(): Promise<void> {}
}

function cpuUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

function textOf({ message }: Turn): string {
  const part = message?.parts[0];
  return part?.type === 'text' ? part.text : '';
}
