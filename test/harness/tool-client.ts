import type { JsonObject } from '#protocol/json.ts';
import type { ToolStep } from '#protocol/tool-step.ts';
import type { AgentDescription, Frame, Move, ProtocolClient, Turn } from '#protocol-client.ts';

/** An agent whose input says which steps of a tool call it tells of, as JSON; then it completes or fails. */
export class ToolClient implements ProtocolClient {
  readonly route: string = 'fake:tools';
  readonly materialPrefix: string = 'fake:tools';
  readonly turns: Turn[] = [];

  async *run(turn: Turn): AsyncIterable<Frame> {
    this.turns.push(turn);
    const [part] = turn.message?.parts ?? [];
    const steps = part?.type === 'json' ? ((part.value as JsonObject)['steps'] as unknown as ToolStep[]) : [];
    for (const [at, step] of steps.entries()) {
      yield { kind: 'message', body: { step: step as unknown as JsonObject }, label: `call-1.${at}` };
    }
    yield { kind: 'end' };
  }

  interpret(frame: Frame): Move[] {
    if (frame.kind !== 'message') return [{ type: 'status', to: 'COMPLETED' }];
    return [{ type: 'tool', tool: (frame.body as JsonObject)['step'] as unknown as ToolStep }];
  }

  async *cancel(): AsyncIterable<Frame> {}

  describe(): AgentDescription {
    const tool = {
      inputSchema: { type: 'object' },
      outputSchema: null,
      definitionSha256: 'sha256:00',
      requiresApproval: true,
      deprecated: false,
      metadata: { title: 'Look' },
    };
    return {
      name: 'Tools',
      description: 'Has tools.',
      version: '1',
      skills: [{ id: 'look', name: 'look', description: 'Looks.', tags: ['tool'], tool }],
      inputModes: [],
      outputModes: [],
      streaming: true,
      raw: {},
    };
  }

  start(): void {}

  async close(): Promise<void> {}
}
