import { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Frame, Turn } from '#protocol-client.ts';
import { AskingClient } from '../../harness/asking-client.ts';
import { startTestGateway } from '../../harness/gateway.ts';

/** Notes when an agent is given a turn. */
class NotingClient extends AskingClient {
  readonly #order: string[];

  constructor(order: string[]) {
    super();
    this.#order = order;
  }

  override run(turn: Turn, signal: AbortSignal): AsyncIterable<Frame> {
    this.#order.push('the agent has the turn');
    return super.run(turn, signal);
  }
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('the answer to an accepted task', () => {
  it('is written before its agent is given anything', async () => {
    const order: string[] = [];
    const gateway = await startTestGateway({ extraClients: [new NotingClient(order)] });
    const end = ServerResponse.prototype.end;
    vi.spyOn(ServerResponse.prototype, 'end').mockImplementation(function (
      this: ServerResponse,
      ...args: unknown[]
    ) {
      if (this.req.method === 'POST' && this.statusCode < 300) order.push('answered');
      return Reflect.apply(end, this, args) as ServerResponse;
    });
    try {
      const session = await gateway.client.session();
      order.length = 0;
      for (let n = 0; n < 5; n += 1) {
        const body = { input: { text: 'hello' }, metadata: { route: 'fake:asking' } };
        const { id } = await gateway.client.post<{ id: string }>(`/v1/sessions/${session.id}/tasks`, body);
        await gateway.client.until(id, 'COMPLETED');
      }
      expect(order).toEqual(Array.from({ length: 5 }, () => ['answered', 'the agent has the turn']).flat());
    } finally {
      await gateway.close();
    }
  });
});
