import { randomUUID } from 'node:crypto';
import { AcpClient } from '../harness/acp-client.ts';
import { postStateless } from '../harness/mcp-post.ts';
import { BENCH_KEY } from './data-directory.ts';
import type { GatewayClient } from './gateway-client.ts';

const TEXT = 'hello';

/** One way in which clients give the bundled agent a task, on a connection that stays. */
export interface FaceTasks {
  /** Resolves with what a client of the face has when its request is answered. */
  run(): Promise<string>;
  /** Whether the task of that request is over. */
  isOver(answer: string): Promise<boolean>;
  close(): Promise<void>;
}

/** `session`: where the tasks are to run, for the faces that can say so. */
export type Opened = (client: GatewayClient, session: string) => Promise<FaceTasks>;

const nothingToClose = async () => undefined;

/** The same task, over each face. */
export const FACES = {
  REST: async (client, session) => ({
    run: () => client.submit(session, TEXT),
    isOver: async (id) => statusOf(await client.get(`/v1/tasks/${id}`)) === 'COMPLETED',
    close: nothingToClose,
  }),
  A2A: async (client, session) => ({
    run: () => {
      const message = {
        messageId: randomUUID(),
        contextId: session,
        role: 'ROLE_USER',
        parts: [{ text: TEXT }],
      };
      const request = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } };
      return client.post('/a2a', JSON.stringify(request), { 'a2a-version': '1.0' });
    },
    // An agent that answers with a message has no task to show for it.
    isOver: async (answer) =>
      (JSON.parse(answer) as { result?: { message?: object } }).result?.message !== undefined,
    close: nothingToClose,
  }),
  ACP: async ({ url }) => {
    const editor = await AcpClient.overSocket(url, BENCH_KEY);
    const { sessionId } = await editor.session();
    return {
      run: async () => (await editor.prompt(sessionId, TEXT)).stopReason,
      isOver: async (reason) => reason === 'end_turn',
      close: async () => editor.close(),
    };
  },
  MCP: async ({ url, headers }) => ({
    run: async () => {
      const call = { name: 'ask_sample', arguments: { message: TEXT } };
      return (await postStateless(`${url}/mcp`, headers, 'tools/call', call)).text();
    },
    isOver: async (answer) => answer.includes('"status":"COMPLETED"'),
    close: nothingToClose,
  }),
} as const satisfies Record<string, Opened>;

export type FaceName = keyof typeof FACES;

function statusOf(task: string): string {
  return (JSON.parse(task) as { status: string }).status;
}
