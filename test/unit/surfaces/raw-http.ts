import { AUTH, type Envelope, RawClient } from './surface-under-test.ts';

/** Sends bytes to a port and returns everything received until the gateway closed the connection. */
export async function exchange(port: number, bytes: string): Promise<string> {
  return await exchangeAsIs(port, withPort(bytes, port));
}

/** The same with the bytes as they are. */
export async function exchangeAsIs(port: number, bytes: string): Promise<string> {
  const client = new RawClient(port).send(bytes);
  await client.closed;
  return client.text;
}

/** Puts the port into the Host header of every request. */
export function withPort(bytes: string, port: number): string {
  return bytes.replaceAll('Host: localhost\r\n', `Host: localhost:${port}\r\n`);
}

/** The answers in what was received, each with its envelope. */
export function answers(text: string): { status: number; envelope: Envelope }[] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter((answer) => answer !== '')
    .map((answer) => ({
      status: Number(answer.slice(9, 12)),
      envelope: JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as Envelope,
    }));
}

const auth = Object.entries(AUTH)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');
export const post = (headers: string, body = '') =>
  `POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\n${auth}Content-Type: application/json\r\n${headers}\r\n${body}`;
export const get = (target: string, headers = 'Host: localhost\r\n') =>
  `GET ${target} HTTP/1.1\r\n${headers}${auth}\r\n`;
