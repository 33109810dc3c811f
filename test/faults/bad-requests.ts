import type { JsonObject } from '#protocol/json.ts';
import { DEFAULT_VERSION, VERSION_HEADER } from '#protocol/versions.ts';
import { OPERATIONS, type OperationId, operation } from '#resources/operations.ts';
import { operationSchemas } from '#surfaces/discovery/openapi-schemas.ts';
import { A2A_MESSAGES, faceMessage, MCP_MESSAGES } from './face-messages.ts';
import { mutatedJson } from './json-mutations.ts';
import { SchemaValues } from './schema-values.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface BadRequestFacts {
  host: string;
  key: string;
  /** A key of another tenant. */
  foreignKey: string;
  /** Ids that exist, by the first part of their name: `session`, `task`, and so on. */
  ids: ReadonlyMap<string, string[]>;
}

export interface BadRequest {
  /** The operation, or the face and the method. */
  operation: string;
  face: 'rest' | 'a2a' | 'mcp';
  text: string;
  /** The bytes may not be a whole request, so nothing can follow on the connection. */
  isLast: boolean;
}

const ODD_SEGMENTS = [
  'x',
  '0',
  '-1',
  '%2e%2e',
  '..',
  '%2e',
  '%00',
  '%zz',
  '%',
  '%ff',
  'a%2fb',
  ';',
  'a;b',
  '%f0%9f%9a%80',
  '*',
  'session_',
  'task_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  '__proto__',
  'constructor',
  'é',
  `${'9'.repeat(20)}`,
  'x'.repeat(5_000),
] as const;
const ODD_QUERIES = [
  'limit=0',
  'limit=201',
  'limit=-1',
  'limit=1e3',
  'limit=x',
  'limit=1&limit=2',
  'limit=',
  'cursor=',
  'cursor=x',
  'cursor=%00',
  `cursor=${'A'.repeat(600)}`,
  'cursor=eyJhIjoxfQ',
  'after_event_id=1',
  `after_event_id=${'9'.repeat(20)}`,
  `after_event_id=${'0'.repeat(20)}`,
  'after=-1',
  'after=%F0%9F%9A%80',
  'session_id=x',
  'task_id=',
  '__proto__=1',
  'a[b]=1',
  '%',
  '&&&',
  '=',
  'workspace_id=workspace_other',
  'workspace_id=workspace_default',
  `x=${'y'.repeat(9_000)}`,
] as const;
const ODD_HEADERS = [
  'Content-Type: text/plain',
  'Content-Type: application/json; charset=utf-7',
  'Content-Type: multipart/form-data',
  'Content-Encoding: gzip',
  'Harn-Agents-Protocol-Version: 1999-01-01',
  'Harn-Agents-Protocol-Version:',
  'Authorization: Basic eDp5',
  'Authorization: Bearer',
  'Authorization: bearer x y',
  'Idempotency-Key:',
  `Idempotency-Key: ${'k'.repeat(256)}`,
  'Idempotency-Key: \u00ff\u00fe',
  'Last-Event-ID: 7',
  'Last-Event-ID: -',
  'Host: evil.example',
  'Expect: 100-continue',
  'Expect: x',
  'Upgrade: h2c',
  'Range: bytes=0-',
  'If-None-Match: *',
  'traceparent: 00-zz',
  'X-Forwarded-For: 1.2.3.4',
  'X-Harn-Internal-Actor: root',
  'Origin: https://evil.example',
  'Sec-Fetch-Site: cross-site',
  'Accept: nothing/at-all',
  'Content-Length: 3',
  'Transfer-Encoding: chunked',
  'Accept: application/vnd.harn.receipt+json',
  'X-Http-Method-Override: DELETE',
  ': no name',
  'No colon',
] as const;
const METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'get',
  'M-SEARCH',
] as const;
const BYTES = [
  '\r',
  '\n',
  '\0',
  ' ',
  ':',
  '%',
  '/',
  '..',
  '\u00ff',
  '{',
  '"',
  '0',
  '\r\n',
  'Transfer-Encoding: chunked\r\n',
] as const;
const FAULTS = ['path', 'query', 'header', 'body', 'body', 'method', 'key', 'bytes'] as const;
/** Shares of the other faces over HTTP. */
const A2A = 0.2;
const MCP = 0.2;
const ODD_FACE_HEADERS = [
  'A2A-Version: 1.0',
  'A2A-Version: 0.3',
  'A2A-Version: 9',
  'A2A-Extensions: https://nobody.example/x',
  'MCP-Protocol-Version: 2025-11-25',
  'MCP-Protocol-Version: 1999-01-01',
  'Mcp-Session-Id: nothing',
  'Mcp-Method: tools/list',
  'Mcp-Name: \u00ff',
  'Last-Event-ID: x',
  'Accept: text/event-stream',
  'Content-Type: text/plain',
] as const;
const A2A_PATHS = ['/a2a', '/a2a/puppet', '/a2a/nobody', '/a2a/'] as const;
const MCP_PATHS = ['/mcp', '/mcp', '/mcp/nobody', '/mcp/'] as const;
/** Share of requests with nothing wrong, so that there are tasks and sessions to hit. */
const VALID = 0.25;
const IDS_PER_KIND = 20;
const IDS = Object.keys(OPERATIONS) as OperationId[];

/** Requests from the operations table: a valid one, then one to three things wrong with it. */
export class BadRequests {
  readonly #facts: BadRequestFacts;
  readonly #random: SeededRandom;
  readonly #values: SchemaValues;
  readonly #byOperation: ReturnType<typeof operationSchemas>['byOperation'];

  constructor(facts: BadRequestFacts, random: SeededRandom) {
    const { schemas, byOperation } = operationSchemas();
    this.#facts = facts;
    this.#random = random;
    this.#byOperation = byOperation;
    this.#values = new SchemaValues(schemas, random, (name) => this.#id(name));
  }

  /** Takes up what an answer made, so that not everything is soon closed and ended. */
  learn(body: string): void {
    const made = /^\{"id":"(([a-z]+)_[0-9A-Z]+)","object":"/.exec(body);
    const known = this.#facts.ids.get(made?.[2] ?? '');
    if (made?.[1] === undefined || known === undefined) return;
    if (known.length < IDS_PER_KIND) known.push(made[1]);
    else known[this.#random.between(0, known.length - 1)] = made[1];
  }

  next(): BadRequest {
    const random = this.#random;
    const face = random.next();
    if (face < A2A) return this.#faceRequest('a2a');
    if (face < A2A + MCP) return this.#faceRequest('mcp');
    const id = random.pick(IDS);
    const wrong = random.chance(VALID) ? new Set<string>() : this.#faults();
    const { method, path } = operation(id);
    const target = this.#target(path, wrong.has('path')) + this.#query(id, wrong.has('query'));
    const verb = wrong.has('method') ? random.pick(METHODS) : method;
    const extra = wrong.has('header') ? [random.pick(ODD_HEADERS)] : [];
    const text = this.#request(verb, target, extra, wrong.has('key'), this.#body(id, wrong.has('body')));
    // A wrong length or framing leaves bytes that the gateway may still wait for.
    const isLast =
      wrong.has('bytes') ||
      extra.some((header) => /^(content-length|transfer|upgrade|expect|:|no c)/i.test(header)) ||
      verb !== method;
    return { operation: id, face: 'rest', text: wrong.has('bytes') ? this.#broken(text) : text, isLast };
  }

  /** A message of another face over HTTP; now and then its bytes are broken, too. */
  #faceRequest(face: 'a2a' | 'mcp'): BadRequest {
    const random = this.#random;
    const templates = face === 'a2a' ? A2A_MESSAGES : MCP_MESSAGES;
    const { name, text } = faceMessage(templates, random, (kind) => this.#id(`${kind}_id`));
    const body = Buffer.from(text).toString('latin1');
    const { host, key, foreignKey } = this.#facts;
    const headers = [
      `Host: ${host}`,
      `Authorization: Bearer ${random.chance(0.1) ? foreignKey : key}`,
      'Accept: application/json, text/event-stream',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      ...(face === 'a2a' ? [`A2A-Version: ${/^[A-Z]/.test(name) ? '1.0' : '0.3'}`] : []),
      ...(face === 'mcp' && text.includes('2026-07-28')
        ? ['MCP-Protocol-Version: 2026-07-28', `Mcp-Method: ${name}`]
        : []),
    ];
    const extra = random.chance(0.2) ? [random.pick(ODD_FACE_HEADERS)] : [];
    const kept = headers.filter((line) => !extra.some((odd) => sameName(odd, line)));
    const path = random.chance(0.9)
      ? (face === 'a2a' ? A2A_PATHS : MCP_PATHS)[0]
      : random.pick(face === 'a2a' ? A2A_PATHS : MCP_PATHS);
    const whole = `POST ${path} HTTP/1.1\r\n${[...kept, ...extra].join('\r\n')}\r\n\r\n${body}`;
    const isLast = random.chance(0.05);
    return { operation: `${face} ${name}`, face, text: isLast ? this.#broken(whole) : whole, isLast };
  }

  #faults(): Set<string> {
    const count = this.#random.between(1, 3);
    return new Set(Array.from({ length: count }, () => this.#random.pick(FAULTS)));
  }

  #target(path: string, isWrong: boolean): string {
    return path.replace(/\{(\w+)\}/g, (_, name: string) =>
      isWrong && this.#random.chance(0.7)
        ? this.#random.pick(ODD_SEGMENTS)
        : encodeURIComponent(this.#id(name)),
    );
  }

  #query(id: OperationId, isWrong: boolean): string {
    if (isWrong) return `?${this.#random.pick(ODD_QUERIES)}`;
    const schema = this.#byOperation[id].query;
    if (schema === undefined || this.#random.chance(0.5)) return '';
    const values = this.#values.make(schema) as JsonObject;
    const pairs = Object.entries(values).map(([name, value]) => [name, String(value)]);
    return `?${new URLSearchParams(Object.fromEntries(pairs))}`;
  }

  #body(id: OperationId, isWrong: boolean): string | undefined {
    const row = operation(id);
    if (row.body === undefined) return isWrong && this.#random.chance(0.3) ? '{}' : undefined;
    if (row.body === 'bytes') return 'some bytes';
    const value = this.#values.make(this.#byOperation[id].body);
    return Buffer.from(isWrong ? mutatedJson(value, this.#random) : JSON.stringify(value)).toString('latin1');
  }

  #request(
    method: string,
    target: string,
    extra: readonly string[],
    wrongKey: boolean,
    body?: string,
  ): string {
    const { host, key, foreignKey } = this.#facts;
    const used = wrongKey
      ? this.#random.pick([foreignKey, 'harn_test_nobody', `${key}x`, key.slice(0, -1)])
      : key;
    const headers = [
      `Host: ${host}`,
      `Authorization: Bearer ${used}`,
      `${VERSION_HEADER}: ${DEFAULT_VERSION}`,
      ...(this.#random.chance(0.2) ? [`Idempotency-Key: bad-${this.#random.between(1, 50)}`] : []),
      ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
    ].filter((line) => !extra.some((odd) => sameName(odd, line) && this.#random.chance(0.8)));
    return `${method} ${target} HTTP/1.1\r\n${[...headers, ...extra].join('\r\n')}\r\n\r\n${body ?? ''}`;
  }

  #broken(text: string): string {
    let broken = text;
    for (let n = this.#random.between(1, 3); n > 0; n -= 1) {
      const at = this.#random.between(0, broken.length);
      const put = this.#random.chance(0.8)
        ? this.#random.pick(BYTES)
        : String.fromCharCode(this.#random.between(0, 255));
      broken = broken.slice(0, at) + put + broken.slice(at + this.#random.between(0, 12));
    }
    return broken;
  }

  #id(name: string): string {
    const kind = name.replace(/^.*?(\w+?)_id$/, '$1').replace(/^.*_/, '');
    const all = [...this.#facts.ids.values()].flat();
    const known = this.#facts.ids.get(kind) ?? all;
    return this.#random.pick(known.length > 0 && this.#random.chance(0.8) ? known : all);
  }
}

const sameName = (a: string, b: string): boolean =>
  a.slice(0, a.indexOf(':')).toLowerCase() === b.slice(0, b.indexOf(':')).toLowerCase();
