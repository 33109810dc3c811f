import { createServer, type ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { closeServer, listenOnLoopback } from './peers/peer.ts';

/** A span as it came over the wire, in one form for both encodings of OTLP. */
export interface SentSpan {
  traceId: string;
  spanId: string;
  /** Empty for none. */
  parentSpanId: string;
  name: string;
  /** 1 internal, 2 server, 3 client. */
  kind: number;
  startNs: bigint;
  endNs: bigint;
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string; attributes: Record<string, unknown> }[];
  events: { name: string; timeNs: bigint; attributes: Record<string, unknown> }[];
  droppedEvents: number;
  /** 2 is an error. */
  status: number;
}

export interface SentMetric {
  name: string;
  kind: 'gauge' | 'sum' | 'histogram';
  points: {
    attributes: Record<string, unknown>;
    value?: number;
    count?: number;
    sum?: number;
    counts?: number[];
    bounds?: number[];
  }[];
}

/** A receiver of OTLP over HTTP, as both `http/protobuf` and `http/json`, that keeps what it got. */
export class OtlpCollector {
  readonly url: string;
  readonly #server: ReturnType<typeof createServer>;
  readonly received: {
    path: string;
    contentType: string;
    headers: Record<string, unknown>;
    bytes: Buffer;
  }[] = [];
  /** How it answers; a test may let it refuse, or never answer. */
  answer: (response: ServerResponse, contentType: string) => void = (response, contentType) => {
    response
      .writeHead(200, { 'content-type': contentType })
      .end(contentType === 'application/json' ? '{}' : '');
  };

  private constructor(server: ReturnType<typeof createServer>, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async start(port = 0): Promise<OtlpCollector> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const whole = Buffer.concat(chunks);
      const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole;
      const { headers, url: path = '' } = request;
      const { 'content-type': contentType = '' } = headers;
      collector.received.push({ path, contentType, headers, bytes });
      collector.answer(response, contentType);
    });
    const collector: OtlpCollector = new OtlpCollector(server, await listenOnLoopback(server, port));
    return collector;
  }

  /** Everything that came, as text, for a search of what must not be there. */
  get text(): string {
    return this.received.map(({ bytes }) => bytes.toString('latin1')).join('\n');
  }

  spans(): SentSpan[] {
    return this.#of('/v1/traces').flatMap((message) =>
      list(message, 'resourceSpans').flatMap((resource) =>
        list(resource, 'scopeSpans').flatMap((scope) => list(scope, 'spans').map(spanOf)),
      ),
    );
  }

  /** The newest of each name. */
  metrics(): Map<string, SentMetric> {
    const all = this.#of('/v1/metrics').flatMap((message) =>
      list(message, 'resourceMetrics').flatMap((resource) =>
        list(resource, 'scopeMetrics').flatMap((scope) => list(scope, 'metrics').map(metricOf)),
      ),
    );
    return new Map(all.map((metric) => [metric.name, metric]));
  }

  /** Attributes of the senders. */
  resources(): Record<string, unknown>[] {
    const of = (path: string, member: string) =>
      this.#of(path).flatMap((message) =>
        list(message, member).map((sent) => attributesOf((sent['resource'] ?? {}) as Message)),
      );
    return [...of('/v1/traces', 'resourceSpans'), ...of('/v1/metrics', 'resourceMetrics')];
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await closeServer(this.#server);
  }

  #of(path: string): Message[] {
    return this.received
      .filter((request) => request.path === path)
      .map(({ contentType, bytes }) =>
        contentType.startsWith('application/json')
          ? (JSON.parse(bytes.toString()) as Message)
          : decode(bytes, path === '/v1/traces' ? TRACES : METRICS),
      );
  }
}

type Message = { [member: string]: unknown };

function list(message: Message, member: string): Message[] {
  return (message[member] ?? []) as Message[];
}

function spanOf(span: Message): SentSpan {
  return {
    traceId: String(span['traceId']),
    spanId: String(span['spanId']),
    parentSpanId: String(span['parentSpanId'] ?? ''),
    name: String(span['name']),
    kind: Number(span['kind']),
    startNs: BigInt(String(span['startTimeUnixNano'] ?? 0)),
    endNs: BigInt(String(span['endTimeUnixNano'] ?? 0)),
    attributes: attributesOf(span),
    links: list(span, 'links').map((link) => ({
      traceId: String(link['traceId']),
      spanId: String(link['spanId']),
      attributes: attributesOf(link),
    })),
    events: list(span, 'events').map((event) => ({
      name: String(event['name']),
      timeNs: BigInt(String(event['timeUnixNano'] ?? 0)),
      attributes: attributesOf(event),
    })),
    droppedEvents: Number(span['droppedEventsCount'] ?? 0),
    status: Number(((span['status'] ?? {}) as Message)['code'] ?? 0),
  };
}

const KINDS = ['gauge', 'sum', 'histogram'] as const;

function metricOf(metric: Message): SentMetric {
  const kind = KINDS.find((known) => metric[known] !== undefined);
  if (kind === undefined) throw new Error(`${String(metric['name'])} is of no kind that the gateway sends`);
  const points = list(metric[kind] as Message, 'dataPoints').map((point) => ({
    attributes: attributesOf(point),
    ...(point['asDouble'] === undefined ? {} : { value: Number(point['asDouble']) }),
    ...(kind !== 'histogram'
      ? {}
      : {
          count: Number(point['count'] ?? 0),
          sum: Number(point['sum'] ?? 0),
          counts: ((point['bucketCounts'] ?? []) as unknown[]).map(Number),
          bounds: ((point['explicitBounds'] ?? []) as unknown[]).map(Number),
        }),
  }));
  return { name: String(metric['name']), kind, points };
}

function attributesOf(message: Message): Record<string, unknown> {
  return Object.fromEntries(
    list(message, 'attributes').map(({ key, value }) => [String(key), plain(value as Message)]),
  );
}

function plain(value: Message): unknown {
  const [[kind, inner] = ['', undefined]] = Object.entries(value);
  return kind === 'intValue' || kind === 'doubleValue' ? Number(inner) : inner;
}

/** How a field is read: a message by its own fields, `*` for a list of them. */
type Reading =
  | 'text'
  | 'hex'
  | 'int'
  | 'bool'
  | 'double'
  | 'fixed64'
  | 'doubles'
  | 'fixed64s'
  | Fields
  | [Fields];
type Fields = { readonly [number: number]: readonly [name: string, reading: Reading] };

/** The fields that the tests look at. Spec: opentelemetry-proto, trace.proto, metrics.proto and common.proto. */
const ANY: Fields = {
  1: ['stringValue', 'text'],
  2: ['boolValue', 'bool'],
  3: ['intValue', 'int'],
  4: ['doubleValue', 'double'],
};
const KEY_VALUE: Fields = { 1: ['key', 'text'], 2: ['value', ANY] };
const RESOURCE: Fields = { 1: ['attributes', [KEY_VALUE]] };
const LINK: Fields = { 1: ['traceId', 'hex'], 2: ['spanId', 'hex'], 4: ['attributes', [KEY_VALUE]] };
const EVENT: Fields = {
  1: ['timeUnixNano', 'fixed64'],
  2: ['name', 'text'],
  3: ['attributes', [KEY_VALUE]],
};
const SPAN: Fields = {
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  4: ['parentSpanId', 'hex'],
  5: ['name', 'text'],
  6: ['kind', 'int'],
  7: ['startTimeUnixNano', 'fixed64'],
  8: ['endTimeUnixNano', 'fixed64'],
  9: ['attributes', [KEY_VALUE]],
  11: ['events', [EVENT]],
  12: ['droppedEventsCount', 'int'],
  13: ['links', [LINK]],
  15: ['status', { 3: ['code', 'int'] }],
};
const TRACES: Fields = {
  1: ['resourceSpans', [{ 1: ['resource', RESOURCE], 2: ['scopeSpans', [{ 2: ['spans', [SPAN]] }]] }]],
};
const NUMBERS: Fields = {
  1: ['dataPoints', [{ 4: ['asDouble', 'double'], 7: ['attributes', [KEY_VALUE]] }]],
};
const HISTOGRAM_POINT: Fields = {
  4: ['count', 'fixed64'],
  5: ['sum', 'double'],
  6: ['bucketCounts', 'fixed64s'],
  7: ['explicitBounds', 'doubles'],
  9: ['attributes', [KEY_VALUE]],
};
const METRIC: Fields = {
  1: ['name', 'text'],
  5: ['gauge', NUMBERS],
  7: ['sum', NUMBERS],
  9: ['histogram', { 1: ['dataPoints', [HISTOGRAM_POINT]] }],
};
const METRICS: Fields = {
  1: [
    'resourceMetrics',
    [{ 1: ['resource', RESOURCE], 2: ['scopeMetrics', [{ 2: ['metrics', [METRIC]] }]] }],
  ],
};

/** Reads a message of protobuf; fields that nobody asked for are passed over. Throws for what ends too early. */
function decode(bytes: Buffer, fields: Fields): Message {
  const message: Message = {};
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (size: number): Buffer => {
    if (at + size > bytes.length) throw new Error('The message ends too early.');
    at += size;
    return bytes.subarray(at - size, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    const value = wire === 0 ? varint() : take(wire === 1 ? 8 : wire === 5 ? 4 : Number(varint()));
    const [name, reading] = fields[tag >> 3] ?? [];
    if (name === undefined || reading === undefined) continue;
    const isMany = Array.isArray(reading);
    const read = readAs(value, isMany ? reading[0] : reading);
    if (isMany) message[name] = [...((message[name] ?? []) as unknown[]), read];
    else message[name] = read;
  }
  return message;
}

function readAs(value: bigint | Buffer, reading: Exclude<Reading, [Fields]>): unknown {
  if (typeof value === 'bigint') return reading === 'bool' ? value === 1n : value;
  if (typeof reading === 'object') return decode(value, reading);
  switch (reading) {
    case 'text':
      return value.toString();
    case 'hex':
      return value.toString('hex');
    case 'double':
      return value.readDoubleLE();
    case 'fixed64':
      return value.readBigUInt64LE();
    case 'doubles':
      return pieces(value).map((piece) => piece.readDoubleLE());
    case 'fixed64s':
      return pieces(value).map((piece) => piece.readBigUInt64LE());
    default:
      throw new Error(`${reading} does not come in this form`);
  }
}

function pieces(value: Buffer): Buffer[] {
  return Array.from({ length: value.length / 8 }, (_, at) => value.subarray(at * 8, at * 8 + 8));
}
