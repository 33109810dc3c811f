import type { JsonObject } from '#protocol/json.ts';
import type {
  Frame,
  Move,
  PermissionAnswer,
  PermissionDraft,
  ProtocolClient,
  Turn,
} from '#protocol-client.ts';

const DRAFTS: Record<string, readonly PermissionDraft[]> = {
  tool: [toolCall('call-1', 'delete_file')],
  tools: [toolCall('call-1', 'delete_file'), toolCall('call-2', 'send_mail')],
  form: [{ upstreamId: 'form-1', kind: 'elicitation', source: 'hitl', message: 'Which colour?' }],
  call: [toolCall('call-1', 'delete_file')],
  swap: [toolCall('call-1', 'delete_file')],
  brief: [{ ...toolCall('call-1', 'delete_file'), timeoutMs: 60_000 }],
};

function toolCall(id: string, name: string): PermissionDraft {
  return {
    upstreamId: id,
    kind: 'tool',
    source: 'acp',
    message: `May I run ${name}?`,
    toolCall: { tool_call_id: id, name, input: { path: '/tmp/x' } },
    options: [
      { option_id: 'always', name: 'Always', kind: 'allow_always' },
      { option_id: 'once', name: 'Once', kind: 'allow_once' },
      { option_id: 'never', name: 'No', kind: 'reject_once' },
    ],
  };
}

/**
 * An agent that waits for its answers inside the running turn, as ACP agents and MCP servers do: the first word of the
 * input names what it asks; it completes by saying the answers it got. `withdraw` asks and takes it back; `call` and `swap`
 * make the call they asked for, `swap` with other arguments.
 */
export class AskingClient implements ProtocolClient {
  readonly route = 'fake:asking';
  readonly materialPrefix = 'fake:asking';
  readonly answers: PermissionAnswer[] = [];
  readonly #waiting = new Map<string, (answer: PermissionAnswer) => void>();

  async *run(turn: Turn, signal: AbortSignal): AsyncIterable<Frame> {
    if (turn.kind === 'reattach') {
      yield said({ text: 'taken up again' });
      return;
    }
    const [part] = turn.message?.parts ?? [];
    const word = part?.type === 'text' ? part.text : '';
    yield { kind: 'message', body: { bind: turn.taskId } };
    if (word === 'withdraw') {
      yield { kind: 'message', body: { ask: DRAFTS['tool'] as unknown as JsonObject[] } };
      yield { kind: 'message', body: { closed: 'call-1' } };
      yield said({ text: 'never mind' });
      return;
    }
    const drafts = DRAFTS[word] ?? [];
    const answers = drafts.map(({ upstreamId = '' }) => this.#answerTo(turn.taskId + upstreamId, signal));
    yield { kind: 'message', body: { ask: drafts as unknown as JsonObject[] } };
    const got = await Promise.all(answers);
    if (signal.aborted) return;
    if (word === 'call') yield said({ call: '/tmp/x' });
    if (word === 'swap') yield said({ call: '/etc/passwd' });
    yield said({ text: got.map((answer) => `${answer?.approved}:${answer?.optionId}`).join(' ') });
  }

  answer(taskId: string, answer: PermissionAnswer): boolean {
    this.answers.push(answer);
    const resolve = this.#waiting.get(taskId + answer.upstreamId);
    this.#waiting.delete(taskId + answer.upstreamId);
    resolve?.(answer);
    return resolve !== undefined;
  }

  interpret(frame: Frame): Move[] {
    if (frame.kind !== 'message') return [];
    const body = frame.body as JsonObject;
    if (body['bind']) return [{ type: 'bind', binding: { id: body['bind'] } }];
    if (body['closed']) {
      const upstreamId = String(body['closed']);
      return [{ type: 'permission_closed', upstreamId, approved: false, reason: 'withdrawn' }];
    }
    if (body['ask']) {
      const drafts = body['ask'] as unknown as PermissionDraft[];
      return drafts.map((permission) => ({ type: 'permission', permission }));
    }
    if (body['call']) {
      const input = { path: body['call'] };
      const call = { toolCallId: 'call-1', name: 'delete_file', step: 'requested', input } as const;
      return [{ type: 'tool', tool: call }];
    }
    const message = {
      role: 'agent' as const,
      parts: [{ type: 'text' as const, text: String(body['text']), visibility: 'public' as const }],
    };
    return [{ type: 'status', to: 'COMPLETED', message }];
  }

  async *cancel(): AsyncIterable<Frame> {}

  describe(): undefined {
    return undefined;
  }

  start(): void {}

  async close(): Promise<void> {}

  #answerTo(key: string, signal: AbortSignal): Promise<PermissionAnswer | undefined> {
    return new Promise((resolve) => {
      this.#waiting.set(key, resolve);
      signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
  }
}

function said(body: JsonObject): Frame {
  return { kind: 'message', body };
}
