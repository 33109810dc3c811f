import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { ServerDeps, ServerExchange, ServerRoute } from '#protocol-server.ts';
import { encodeError, refusal, restErrorBody } from '../../../mappings/a2a/errors-out.ts';
import { A2A_REST_TYPE, type A2aOperation, OPERATIONS } from '../../../mappings/a2a/operations.ts';
import { type Asking, activated, addressed, negotiate } from './asking.ts';
import { type A2aHandler, METHODS, runMethod, type Streaming } from './requests.ts';

const MEDIA_TYPE = /^application\/(?:a2a\+)?json[ \t]*(?:;|$)/i;

/** Methods whose spelling differs: the prose of the specification says POST, its protocol file GET. */
const ALSO = [{ name: 'SubscribeToTask', method: 'GET' }] as const;

/**
 * The HTTP+JSON binding of 1.0 below a prefix such as `/a2a/{agent}`. Verbs come before plain ids, because the first path that
 * fits is taken. Spec: A2A 1.0, 11.
 */
export function restRoutes(deps: ServerDeps, handler: A2aHandler, prefix: string): ServerRoute[] {
  const rows = (Object.keys(OPERATIONS) as A2aOperation[]).map((name) => ({
    name,
    ...OPERATIONS[name].rest,
  }));
  const also = ALSO.map(({ name, method }) => ({ ...OPERATIONS[name].rest, name, method }));
  return [...rows, ...also]
    .sort((one, other) => Number(other.path.includes(':')) - Number(one.path.includes(':')))
    .map(({ name, method, path }) => ({
      method,
      path: `${prefix}${path}`,
      handle: (exchange, params) => answerRest(deps, handler, name, exchange, params),
    }));
}

async function answerRest(
  deps: ServerDeps,
  handler: A2aHandler,
  name: A2aOperation,
  exchange: ServerExchange,
  path: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    deps.gateway.admit(METHODS[name], exchange.call());
    const negotiated = negotiate(exchange);
    if (negotiated.version !== '1.0')
      throw refusal(
        'VersionNotSupported',
        'HTTP+JSON is spoken in 1.0 here: send A2A-Version: 1.0.',
        'A2A-Version',
      );
    const params = await paramsOf(exchange, OPERATIONS[name].rest.method);
    // The path names the task, so what the body says of it, in either spelling, does not count. A copy would cost by its size.
    delete params['task_id'];
    Object.assign(params, idsOf(name, path));
    const asking: Asking = { exchange, negotiated, to: await addressed(deps, exchange, path['agent']) };
    const headers = activated(negotiated, asking.to);
    const result = await runMethod(
      name,
      { deps, handler, streaming: restStreaming(headers) },
      asking,
      params,
    );
    if (result !== undefined) exchange.send(200, A2A_REST_TYPE, JSON.stringify(result), headers);
  } catch (thrown) {
    sendRestError(exchange, ProtocolError.from(thrown));
  }
}

function sendRestError(exchange: ServerExchange, error: ProtocolError): void {
  exchange.failed(error);
  const encoded = encodeError(error);
  exchange.send(
    encoded.http,
    A2A_REST_TYPE,
    JSON.stringify(restErrorBody(encoded)),
    exchange.errorHeaders(error),
  );
}

/** Members of the body, or of the query where there is none. */
async function paramsOf(exchange: ServerExchange, method: string): Promise<JsonObject> {
  if (method !== 'POST') return queryOf(exchange);
  const bytes = await exchange.readBody();
  if (bytes.length === 0) return queryOf(exchange);
  if (!MEDIA_TYPE.test(exchange.headers['content-type'] ?? ''))
    throw refusal('ContentTypeNotSupported', `Send the request as ${A2A_REST_TYPE}.`, 'Content-Type');
  const body: JsonValue = await exchange.parseJson(bytes);
  if (isObject(body)) return body;
  throw refusal('InvalidParams', 'The request must be a JSON object.', 'body');
}

function queryOf({ query }: ServerExchange): JsonObject {
  const { 'A2A-Version': _, ...members } = query;
  return members as JsonObject;
}

/** `{id}` is the task in every path; where a config is meant, that has the request's own `id`. */
function idsOf(name: A2aOperation, { agent: _, id, configId }: Readonly<Record<string, string>>): JsonObject {
  if (configId !== undefined) return { taskId: id ?? '', id: configId };
  if (name.includes('PushNotificationConfig')) return { taskId: id ?? '' };
  return id === undefined ? {} : { id };
}

function restStreaming(headers: readonly string[]): Streaming {
  return {
    headers,
    frame: (event, cursor) => Buffer.from(`id: ${cursor}\ndata: ${JSON.stringify(event)}\n\n`),
    failureFrame: (error) =>
      Buffer.from(`event: error\ndata: ${JSON.stringify(restErrorBody(encodeError(error)))}\n\n`),
  };
}
