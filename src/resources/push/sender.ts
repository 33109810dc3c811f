import type { DecisionTools } from '#core/facts.ts';
import type { KeyedSemaphore } from '#core/semaphore.ts';
import type { Event, EventLog } from '#eventlog/event-log.ts';
import { canonicalJson, sha256Hex } from '#json/canonical.ts';
import { conceal } from '#policy/access.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import type { Clock, IdSource, Logger } from '#protocol/ports.ts';
import type { Task } from '#resources/task/schema.ts';
import { type CleanTaskState, taskKeys } from '#resources/task/state.ts';
import { type CleanWorkspaceState, workspaceKeys } from '#resources/workspace/state.ts';
import { inputKey } from '#store/keys.ts';
import { type DeliveryForm, deliveryHeaders, type Post, type PostOutcome } from './delivery.ts';
import { type PushConfig, type PushSecrets, webhookOf } from './schema.ts';

export interface OutboxDeps {
  log: EventLog;
  clock: Clock;
  logger: Logger;
  /** Runs once after a while; returns what stops it. Milliseconds. */
  after(delayMs: number, run: () => void): () => void;
  newId: IdSource;
  /** Reads what receivers and the network say. */
  redact: DecisionTools['redact'];
  forms: Readonly<Record<string, DeliveryForm>>;
  post: Post;
  openSecrets(sealed: Buffer): Buffer;
  signer: DeliverySigner;
  /** Where a webhook of the configuration is now, or why it cannot be known. */
  webhook(id: string): WebhookTarget;
  /** How long a delivery is tried before it is given up. */
  giveUpMs: number;
  /** By tenant. */
  slots: KeyedSemaphore;
}

type WebhookTarget =
  | { kind: 'known'; url: string; secret: string }
  /** Left out of the configuration meanwhile. */
  | { kind: 'gone' }
  | { kind: 'secret_missing' };

/** The form of a config. One that a later version no longer knows is posted as Harn. */
function formOf({ forms }: OutboxDeps, { form }: PushConfig): DeliveryForm {
  const found = Object.hasOwn(forms, form) ? forms[form] : undefined;
  const usable = found ?? forms['harn'];
  if (usable === undefined) throw new Error('The outbox has no form "harn".');
  return usable;
}

/** What a config posts for each event of its Task; what is internal never leaves. Takes all events, from the first on. */
export function openFold(deps: OutboxDeps, config: PushConfig): (event: Event) => readonly JsonValue[] {
  const fold = formOf(deps, config).open(() => conceal(taskOf(deps, config.task_id), false));
  return (event) => fold(conceal(event, false));
}

function taskOf({ log }: OutboxDeps, taskId: string): Task {
  const state = log.state<CleanTaskState>(taskKeys.task(taskId));
  if (state === undefined) throw new Error(`A push config without its task: ${taskId}`);
  return state.resource;
}

/** One attempt to deliver a body, in a slot of the tenant, with what the config holds now. */
export function sendOnce(
  deps: OutboxDeps,
  config: PushConfig,
  { deliveryId, body, workspaceId }: { deliveryId: string; body: JsonValue; workspaceId: string },
  signal: AbortSignal,
): Promise<PostOutcome> {
  const tenant =
    deps.log.state<CleanWorkspaceState>(workspaceKeys.workspace(workspaceId))?.resource.tenant_id ?? '';
  const text = JSON.stringify(body);
  return deps.slots.run(tenant, async () => {
    if (signal.aborted) return { kind: 'failed', reason: 'stopped' };
    const target = targetOf(deps, config);
    if ('reason' in target) return target;
    const nowMs = deps.clock.now();
    const { url, secrets } = target;
    const post = { deliveryId, body: text, nowMs };
    const headers = deliveryHeaders(formOf(deps, config), secrets, post, () =>
      deliveryToken(deps.signer, { ...post, url, taskId: config.task_id }),
    );
    return deps.post({ url, headers, body: text }, signal);
  });
}

/** Where a config leads now, and what proves the sender there. */
function targetOf(
  deps: OutboxDeps,
  config: PushConfig,
): { url: string; secrets: PushSecrets } | Exclude<PostOutcome, { kind: 'answered' }> {
  const id = webhookOf(config);
  if (id === undefined) return { url: config.url, secrets: secretsOf(deps, config) };
  const found = deps.webhook(id);
  if (found.kind === 'gone') return { kind: 'refused', reason: 'webhook not configured' };
  if (found.kind === 'secret_missing') return { kind: 'failed', reason: 'secret not readable' };
  return { url: found.url, secrets: { secret: found.secret } };
}

function secretsOf({ log, openSecrets }: OutboxDeps, { id }: PushConfig): PushSecrets {
  const sealed = log.record(inputKey(id));
  return sealed === undefined ? {} : (JSON.parse(openSecrets(sealed).toString()) as PushSecrets);
}

/** Who signs deliveries. */
interface DeliverySigner {
  /** Name of this gateway, the `iss` of its tokens. */
  issuer: string;
  /** The Ed25519 key of now; its public half is in the key set of the gateway. */
  key(): { readonly keyId: string; sign(bytes: Uint8Array): Uint8Array };
}

/** Long enough for clocks that differ, short enough that a stolen token is of little use. */
const LIFETIME_S = 300;

/**
 * A JWT over one attempt to deliver a body: `aud` is the origin of the receiver, `sub` the Task, `jti` the delivery and its
 * attempt, `request_body_sha256` the lower-case hex over the body as posted. Receivers verify it with the key set of the gateway.
 * Spec: RFC 7519; A2A 0.3, "Asymmetric key signature (JWT + JWKS)".
 */
function deliveryToken(
  { issuer, key }: DeliverySigner,
  { url, taskId, deliveryId, body, nowMs }: SignedDelivery,
): string {
  const signer = key();
  const iat = Math.floor(nowMs / 1000);
  const claims: JsonObject = {
    iss: issuer,
    aud: new URL(url).origin,
    sub: taskId,
    iat,
    exp: iat + LIFETIME_S,
    jti: `${deliveryId}.${nowMs}`,
    request_body_sha256: sha256Hex(body),
  };
  const signed = `${encoded({ alg: 'EdDSA', kid: signer.keyId, typ: 'JWT' })}.${encoded(claims)}`;
  return `${signed}.${Buffer.from(signer.sign(Buffer.from(signed))).toString('base64url')}`;
}

interface SignedDelivery {
  url: string;
  taskId: string;
  deliveryId: string;
  body: string;
  /** Time of the attempt, epoch milliseconds. */
  nowMs: number;
}

function encoded(value: JsonObject): string {
  return Buffer.from(canonicalJson(value)).toString('base64url');
}
