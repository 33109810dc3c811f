import type { FaceDeps } from '#face.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { refusal } from '../../../mappings/a2a/errors-out.ts';
import type { A2aOperation } from '../../../mappings/a2a/operations.ts';
import {
  cardRequest,
  fromV1,
  fromV03,
  listRequest,
  type SendRequest,
  sendRequestV1,
  sendRequestV03,
  taskRequest,
} from '../../../mappings/a2a/requests.ts';
import { validate } from '../../../mappings/a2a/validate.ts';
import { noAgent } from './agents.ts';
import type { Asking } from './asking.ts';
import type { A2aHandler, Streaming } from './handler.ts';
import { createPushConfig, deletePushConfig, getPushConfig, listPushConfigs } from './push-configs.ts';

/** Runs methods, whichever binding they came by. */
export interface MethodDeps {
  face: FaceDeps;
  handler: A2aHandler;
  /** How the binding writes a stream. */
  streaming: Streaming;
}

/** The answer of a method, or nothing when it answered with a stream. */
type Method = (deps: MethodDeps, asking: Asking, params: JsonObject) => Promise<JsonValue | undefined>;

export function runMethod(
  name: A2aOperation,
  deps: MethodDeps,
  asking: Asking,
  params: JsonObject,
): Promise<JsonValue | undefined> {
  refuseTenant(params);
  return ROWS[name](deps, asking, params);
}

const ROWS: Readonly<Record<A2aOperation, Method>> = {
  SendMessage: ({ handler }, asking, params) => handler.send(asking, sendRequest(asking, params)),
  SendStreamingMessage: async ({ handler, streaming }, asking, params) => {
    await handler.stream(asking, sendRequest(asking, params), streaming);
    return undefined;
  },
  GetTask: ({ handler }, asking, params) => handler.get(asking, validate(taskRequest, params)),
  ListTasks: ({ handler }, asking, params) => handler.list(asking, validate(listRequest, params)),
  CancelTask: ({ handler }, asking, params) => handler.cancel(asking, validate(taskRequest, params)),
  SubscribeToTask: async ({ handler, streaming }, asking, params) => {
    await handler.subscribe(asking, validate(taskRequest, params), streaming);
    return undefined;
  },
  CreateTaskPushNotificationConfig: ({ face }, asking, params) => createPushConfig(face, asking, params),
  GetTaskPushNotificationConfig: ({ face }, asking, params) => getPushConfig(face, asking, params),
  ListTaskPushNotificationConfigs: ({ face }, asking, params) => listPushConfigs(face, asking, params),
  DeleteTaskPushNotificationConfig: ({ face }, asking, params) => deletePushConfig(face, asking, params),
  GetExtendedAgentCard: async ({ face }, asking, params) => {
    validate(cardRequest, params);
    return cardOf(face, asking);
  },
};

/** The signed card, to callers only, in the members of their version; there is nothing that only some of them may see. */
function cardOf(face: FaceDeps, { to, negotiated }: Asking): JsonObject {
  const form = negotiated.version === '1.0' ? '1.0' : 'superset';
  const card = to.persona === undefined ? face.card(to.segment, form) : face.personaCard(to.persona, form);
  if (card === undefined) throw noAgent();
  return JSON.parse(card.text) as JsonObject;
}

function sendRequest({ negotiated }: Asking, params: JsonObject): SendRequest {
  return negotiated.version === '1.0'
    ? fromV1(validate(sendRequestV1, params))
    : fromV03(validate(sendRequestV03, params));
}

/** No interface of our cards names a tenant, and a client may only send the one it was told. */
function refuseTenant({ tenant }: JsonObject): void {
  if (tenant === undefined || tenant === null || tenant === '') return;
  throw refusal('InvalidParams', 'The agent card names no tenant. Leave it out.', 'tenant');
}
