import type { IncomingMessage } from 'node:http';
import { RELAYED_FOR } from '../http/relayed-clients.ts';

/** They are about one connection, not about the message. Spec: RFC 9110, section 7.6.1. */
export const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** They say what a message is, and to whom: a `Connection` header that names one of them takes it from no reader. */
const OF_MESSAGE = new Set([
  'authorization',
  'content-length',
  'harn-partition',
  'host',
  'idempotency-key',
  'sec-websocket-protocol',
  'via',
]);

/** Flat list of names and values without those of the connection, and without what its `Connection` header names. */
export function drop(raw: readonly string[]): string[] {
  const named = pairs(raw)
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(',').map((option) => option.trim().toLowerCase()))
    .filter((option) => !OF_MESSAGE.has(option));
  return pairs(raw)
    .filter(([name]) => !OF_CONNECTION.has(name.toLowerCase()) && !named.includes(name.toLowerCase()))
    .flat();
}

/** How often a node handed this request on already. Spec: RFC 9110, section 7.6.3. */
export function timesThrough(via: string | undefined, node: string): number {
  return via?.split(',').filter((each) => each.trim().split(/\s+/)[1] === node).length ?? 0;
}

/** What is set by a relay. `host` undefined: it stays. `via` comes behind what is there, the other ones take its place, undefined ones too. */
interface OwnHeaders {
  host: string | undefined;
  via: string;
  'x-forwarded-proto': string;
  [RELAYED_FOR]: string | undefined;
}

export function passedHeaders(raw: readonly string[], { host, via, ...own }: OwnHeaders): [string, string][] {
  const replaced = new Set([...Object.keys(own), ...(host === undefined ? [] : ['host'])]);
  const kept = pairs(drop(raw)).filter(([name]) => !replaced.has(name.toLowerCase()));
  const hosts: [string, string][] = host === undefined ? [] : [['Host', host]];
  const set = Object.entries(own).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return [...hosts, ...kept, ['Via', via], ...set];
}

/** The head of an answer for a bare socket. */
export function rawHead(
  { statusCode, statusMessage, rawHeaders }: IncomingMessage,
  own: readonly string[],
): string {
  const lines = pairs([...drop(rawHeaders), ...own]).map(([name, value]) => `${name}: ${value}`);
  return `${[`HTTP/1.1 ${statusCode} ${statusMessage}`, ...lines].join('\r\n')}\r\n\r\n`;
}

function pairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, raw[at + 1] ?? '']] : []));
}
