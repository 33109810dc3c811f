import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';
import type { ServerDeps, ServerExchange, ServerRoute } from '#protocol-server.ts';
import type { Version } from '../../../mappings/a2a/encode-task.ts';
import {
  type EncodedError,
  encodeError,
  legacyRestErrorBody,
  refusal,
  restErrorBody,
} from '../../../mappings/a2a/errors-out.ts';
import {
  A2A_REST_TYPE,
  type A2aOperation,
  legacyRoute,
  OPERATIONS,
  type OperationRow,
} from '../../../mappings/a2a/operations.ts';
import { answerProto03, toProto03 } from '../../../mappings/a2a/proto-03.ts';
import { type Asking, activated, addressed, type Negotiated, negotiate } from './asking.ts';
import { type A2aHandler, METHODS, runMethod, type Streaming } from './requests.ts';

const MEDIA_TYPE = /^application\/(?:a2a\+)?json[ \t]*(?:;|$)/i;

/** Methods whose spelling differs: the prose of the specification says POST, its protocol file GET. */
const ALSO = [{ name: 'SubscribeToTask', method: 'GET' }] as const;

/** What HTTP+JSON of a version does otherwise than that of the other. */
interface RestForm {
  version: Version;
  mediaType: string;
  /** Undefined for what the version has no route for. */
  route(name: A2aOperation): OperationRow['rest'] | undefined;
  negotiate(exchange: ServerExchange): Negotiated;
  /** `{id}` is the task in every path. */
  ids(name: A2aOperation, path: Readonly<Record<string, string>>): JsonObject;
  answer(name: A2aOperation, result: JsonValue): JsonValue;
  event(event: JsonObject): JsonObject;
  errorBody(error: EncodedError): JsonObject;
}

/** Spec: A2A 1.0, 11; A2A 0.3, 3.2.3 and 5.3. */
const FORMS: Readonly<Record<Version, RestForm>> = {
  '1.0': {
    version: '1.0',
    mediaType: A2A_REST_TYPE,
    route: (name) => OPERATIONS[name].rest,
    negotiate: (exchange) => {
      const negotiated = negotiate(exchange);
      if (negotiated.version === '1.0') return negotiated;
      throw refusal(
        'VersionNotSupported',
        'HTTP+JSON is spoken in 1.0 here: send A2A-Version: 1.0. That of 0.3 is below /v1.',
        'A2A-Version',
      );
    },
    ids: idsOf,
    answer: (_, result) => result,
    event: (event) => event,
    errorBody: restErrorBody,
  },
  '0.3': {
    version: '0.3',
    mediaType: 'application/json',
    route: legacyRoute,
    negotiate: (exchange) => ({ ...negotiate(exchange, '0.3'), isProto03: true }),
    ids: legacyIdsOf,
    answer: answerProto03,
    event: toProto03,
    errorBody: legacyRestErrorBody,
  },
};

/**
 * The HTTP+JSON binding below a prefix such as `/a2a/{agent}`: that of 1.0, and that of 0.3 below its `/v1`. Verbs come before plain
 * ids, because the first path that fits is taken.
 */
export function restRoutes(deps: ServerDeps, handler: A2aHandler, prefix: string): ServerRoute[] {
  const rows = Object.values(FORMS).flatMap((form) =>
    (Object.keys(OPERATIONS) as A2aOperation[]).flatMap((name) => {
      const route = form.route(name);
      if (route === undefined) return [];
      const also = ALSO.filter((row) => row.name === name).map(({ method }) => ({ ...route, method }));
      return [route, ...also].map((spelled) => ({ form, name, ...spelled }));
    }),
  );
  return rows
    .sort((one, other) => Number(other.path.includes(':')) - Number(one.path.includes(':')))
    .map(({ form, name, method, path }) => ({
      method,
      path: `${prefix}${path}`,
      handle: (exchange, params) =>
        isAgentV1(form, exchange, params)
          ? answerRest(deps, handler, FORMS['1.0'], name, exchange, { ...params, agent: 'v1' })
          : answerRest(deps, handler, form, name, exchange, params),
    }));
}

/** Below the plain prefix an agent may have the name that 0.3 has in all of its paths. Who sends 1.0 means the agent. */
function isAgentV1(
  { version }: RestForm,
  exchange: ServerExchange,
  { agent }: Readonly<Record<string, string>>,
): boolean {
  if (version === '1.0' || agent !== undefined) return false;
  return String(exchange.headers['a2a-version'] || exchange.query['A2A-Version'] || '').startsWith('1.');
}

async function answerRest(
  deps: ServerDeps,
  handler: A2aHandler,
  form: RestForm,
  name: A2aOperation,
  exchange: ServerExchange,
  path: Readonly<Record<string, string>>,
): Promise<void> {
  try {
    deps.gateway.admit(METHODS[name], exchange.call());
    const negotiated = form.negotiate(exchange);
    const params = await paramsOf(exchange, OPERATIONS[name].rest.method, form);
    // The path names the task, so what the body says of it, in either spelling, does not count. A copy would cost by its size.
    delete params['task_id'];
    Object.assign(params, form.ids(name, path));
    const asking: Asking = { exchange, negotiated, to: await addressed(deps, exchange, path['agent']) };
    const headers = activated(negotiated, asking.to);
    const streaming = restStreaming(headers, form);
    const result = await runMethod(name, { deps, handler, streaming }, asking, params);
    if (result !== undefined)
      exchange.send(200, form.mediaType, JSON.stringify(form.answer(name, result)), headers);
  } catch (thrown) {
    sendRestError(exchange, ProtocolError.from(thrown), form);
  }
}

function sendRestError(exchange: ServerExchange, error: ProtocolError, form: RestForm): void {
  exchange.failed(error);
  const encoded = encodeError(error);
  const headers = exchange.errorHeaders(error);
  exchange.send(encoded.http, form.mediaType, JSON.stringify(form.errorBody(encoded)), headers);
}

/** Members of the body, or of the query where there is none. */
async function paramsOf(
  exchange: ServerExchange,
  method: string,
  { mediaType }: RestForm,
): Promise<JsonObject> {
  if (method !== 'POST') return queryOf(exchange);
  const bytes = await exchange.readBody();
  if (bytes.length === 0) return queryOf(exchange);
  if (!MEDIA_TYPE.test(exchange.headers['content-type'] ?? ''))
    throw refusal('ContentTypeNotSupported', `Send the request as ${mediaType}.`, 'Content-Type');
  const body: JsonValue = await exchange.parseJson(bytes);
  if (isObject(body)) return body;
  throw refusal('InvalidParams', 'The request must be a JSON object.', 'body');
}

function queryOf({ query }: ServerExchange): JsonObject {
  const { 'A2A-Version': _, ...members } = query;
  return members as JsonObject;
}

/** Where a config is meant, that has the request's own `id`. */
function idsOf(name: A2aOperation, { agent: _, id, configId }: Readonly<Record<string, string>>): JsonObject {
  if (configId !== undefined) return { taskId: id ?? '', id: configId };
  if (name.includes('PushNotificationConfig')) return { taskId: id ?? '' };
  return id === undefined ? {} : { id };
}

/** In 0.3 `id` is the task always, but where its config is set. */
function legacyIdsOf(name: A2aOperation, { id, configId }: Readonly<Record<string, string>>): JsonObject {
  if (name === 'CreateTaskPushNotificationConfig') return { taskId: id ?? '' };
  if (configId !== undefined) return { id: id ?? '', pushNotificationConfigId: configId };
  return id === undefined ? {} : { id };
}

function restStreaming(headers: readonly string[], { event, errorBody }: RestForm): Streaming {
  return {
    headers,
    frame: (said, cursor) => Buffer.from(`id: ${cursor}\ndata: ${JSON.stringify(event(said))}\n\n`),
    failureFrame: (error) =>
      Buffer.from(`event: error\ndata: ${JSON.stringify(errorBody(encodeError(error)))}\n\n`),
  };
}
