import { createServer, type IncomingHttpHeaders } from 'node:http';
import { closeServer, listenOnLoopback } from './peers/peer.ts';

export interface Received {
  /** Path and query. */
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
  body: Record<string, Record<string, unknown>>;
}

export interface Receiver {
  url: string;
  /** Everything that was posted, in order of arrival; attempts that failed too. */
  posts: Received[];
  /** Decides each answer: a status, or `hang`. */
  answer: (post: Received, n: number) => number | 'hang';
  close(): Promise<void>;
}

/** A webhook receiver on loopback that keeps what it got. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const server = createServer();
  const url = await listenOnLoopback(server, port);
  const receiver: Receiver = {
    url: `${url}/hook`,
    posts: [],
    answer: () => 200,
    close: () => closeServer(server),
  };
  server.on('request', async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const post: Received = {
      path: request.url ?? '',
      headers: request.headers,
      text,
      body: JSON.parse(text),
    };
    const status = receiver.answer(post, receiver.posts.push(post));
    if (status !== 'hang') response.writeHead(status).end();
  });
  return receiver;
}
