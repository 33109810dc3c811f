import type { AgentDescription, Frame, Move, ProtocolClient, Turn } from '#protocol-client.ts';

/** Text with which a task asks for its echo as an artifact instead of a message. */
export const AS_ARTIFACT = 'artifact';

/** The deterministic agent of P1, in the gateway's own process: one frame that says the input back and completes. */
export class EchoClient implements ProtocolClient {
  readonly route = 'bench:echo';
  readonly materialPrefix = 'bench:echo';

  async *run(turn: Turn): AsyncGenerator<Frame> {
    yield { kind: 'message', body: { echo: textOf(turn) } };
  }

  async *cancel(): AsyncGenerator<Frame> {
    yield { kind: 'end' };
  }

  interpret(frame: Frame): Move[] {
    if (frame.kind !== 'message') return [];
    const { echo } = frame.body as { echo: string };
    const parts = [{ type: 'text', text: echo, visibility: 'public' } as const];
    if (!echo.startsWith(AS_ARTIFACT))
      return [{ type: 'status', to: 'COMPLETED', message: { role: 'agent', parts } }];
    return [
      { type: 'artifact', artifact: { upstreamId: 'echo', parts, append: false, lastChunk: true } },
      { type: 'status', to: 'COMPLETED' },
    ];
  }

  describe(): AgentDescription | undefined {
    return undefined;
  }

  start(): void {}

  async close(): Promise<void> {}
}

function textOf({ message }: Turn): string {
  const part = message?.parts[0];
  return part?.type === 'text' ? part.text : '';
}
