/** What the servers of `era-servers.ts` offer, the same in either era. */
export type Json = Record<string, unknown>;

export const text = (said: string) => ({ content: [{ type: 'text', text: said }] });
export const SCHEMA = { type: 'object' };
export const CACHE = { ttlMs: 60_000, cacheScope: 'private' };
export const RESOURCE = 'era://text';

/** What a tool asks its client before it ends, and what it makes of the answer. */
export const ASKING: Readonly<Record<string, { request: Json; end(answer: Json): Json }>> = {
  ask: {
    request: {
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: 'Who are you?',
        requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
      },
    },
    end: ({ action, content }) => text(`${action}: ${(content as Json | undefined)?.['name']}`),
  },
  sample: {
    request: {
      method: 'sampling/createMessage',
      params: { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 9 },
    },
    end: ({ model }) => text(`model: ${model}`),
  },
  roots: {
    request: { method: 'roots/list', params: {} },
    end: ({ roots }) => text(`roots: ${(roots as { uri: string }[]).map(({ uri }) => uri).join(' ')}`),
  },
};

export const LISTED = [
  ...['greet', 'closed', 'progress', 'log', 'touch', 'fail', 'stay', ...Object.keys(ASKING)].map((name) => ({
    name,
    description: name,
    inputSchema: SCHEMA,
  })),
];

/** How the tools of either era tell and ask. */
interface Context {
  progressToken: unknown;
  signal: AbortSignal;
  notify(method: string, params: Json): Promise<void>;
  /** The result of a tool that asks. */
  asking(name: string): Promise<Json>;
  changed(): void;
}

export async function callTool(
  server: Staying,
  { name, arguments: input = {} }: Json,
  context: Context,
): Promise<Json> {
  const { progressToken } = context;
  const tool = String(name);
  if (tool in ASKING) return context.asking(tool);
  if (tool === 'greet') return text(`Hello, ${(input as Json)['name']}!`);
  if (tool === 'fail')
    throw Object.assign(new Error('It failed.'), { code: -32_050, data: { why: 'always' } });
  if (tool === 'progress' && progressToken !== undefined)
    for (const progress of [1, 2, 3])
      await context.notify('notifications/progress', { progressToken, progress, total: 3 });
  if (tool === 'log') await context.notify('notifications/message', { level: 'info', data: 'a line' });
  if (tool === 'touch') context.changed();
  if (tool === 'stay')
    await new Promise<void>((resolve) => {
      server.staying(resolve);
      context.signal.addEventListener('abort', () => server.left(), { once: true });
    });
  return text(`${tool} is done`);
}

export const read = ({ uri }: Json, code: number): Json => {
  if (uri === RESOURCE) return { contents: [{ uri, mimeType: 'text/plain', text: 'as it is' }] };
  throw Object.assign(new Error('Resource not found'), { code, data: { uri } });
};
export const prompt = ({ arguments: given }: Json) => ({
  messages: [{ role: 'user', content: { type: 'text', text: `Say ${(given as Json)['word']}` } }],
});
export const COMPLETION = { completion: { values: ['paris'], hasMore: false, total: 1 } };
export const PROMPTS = [
  { name: 'say', description: 'Says it.', arguments: [{ name: 'word', required: true }] },
];
export const RESOURCES = [{ uri: RESOURCE, name: 'text' }];

/** The server of a call that stays until its client takes it back. */
export interface Staying {
  staying(end: () => void): void;
  left(): void;
}
