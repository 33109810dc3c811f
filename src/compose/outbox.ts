import type { DecisionTools } from '#core/facts.ts';
import { KeyedSemaphore } from '#core/semaphore.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { APPROVALS, type DeliveryForm, HARN_FORM, type Post } from '#resources/push/delivery.ts';
import { Outbox } from '#resources/push/outbox.ts';
import { APPROVALS_FORM } from '#resources/push/schema.ts';
import type { SecretBox } from '#store/secret-box.ts';
import { nodeTimers } from '#surfaces/timers.ts';
import type { Bridge } from '../../bridges/bridge.ts';
import { bridges } from '../../bridges/index.ts';
import { type AddressGuard, TargetRefused } from '../../bridges/wire/address-guard.ts';
import { WebhookClient } from '../../bridges/wire/webhook-client.ts';
import { webhooks } from './approvals.ts';
import type { Measuring } from './measuring.ts';
import type { OpenDirectory } from './open-data.ts';
import { outboundGuard } from './outbound-guard.ts';
import { type Parts, systemTimers } from './parts.ts';

/** Posts of one tenant at a time; a tenant with slow receivers must not take all sockets. */
const POSTS_PER_TENANT = 16;

/** The forms in which events can be posted to receivers. */
export const DELIVERY_FORMS: Readonly<Record<string, DeliveryForm>> = Object.fromEntries([
  ['harn', HARN_FORM],
  [APPROVALS_FORM, APPROVALS],
  ...Object.values<Pick<Bridge<never>, 'pushForms'>>(bridges).flatMap(({ pushForms = {} }) =>
    Object.entries(pushForms),
  ),
]);

/** The outbox and what it goes through to the network. */
export interface Sending {
  outbox: Outbox;
  /** Throws `invalid_request` for a URL that may not be called; one whose host does not resolve now may be, later. */
  checkTarget(url: string): Promise<void>;
  close(): Promise<void>;
}

export function makeSending(
  parts: Parts,
  log: EventLog,
  box: SecretBox,
  { newId, receipts, redact }: Pick<DecisionTools, 'newId' | 'receipts' | 'redact'>,
  { measuring, mayAct }: { measuring: Measuring | undefined } & Pick<OpenDirectory, 'mayAct'>,
): Sending {
  const { config, clock, logger } = parts;
  const guard = outboundGuard(parts);
  const client = new WebhookClient({ guard, timers: systemTimers });
  const post: Post = mayAct
    ? async (call, signal) => {
        await mayAct(signal);
        return client.post(call, signal);
      }
    : (call, signal) => client.post(call, signal);
  const outbox = new Outbox({
    log,
    clock,
    logger,
    after: nodeTimers.after,
    newId,
    redact,
    forms: DELIVERY_FORMS,
    post: measuring?.work.posted(post) ?? post,
    openSecrets: (sealed) => box.open(sealed),
    signer: { issuer: receipts.issuer.id, key: receipts.key },
    webhook: webhooks(parts),
    giveUpMs: config.outbound.give_up_after_ms,
    slots: new KeyedSemaphore(POSTS_PER_TENANT),
  });
  return {
    outbox,
    checkTarget: (url) => checkTarget(guard, url),
    close: async () => {
      await outbox.close();
      await client.close();
    },
  };
}

async function checkTarget(guard: AddressGuard, url: string): Promise<void> {
  try {
    await guard.check(url);
  } catch (error) {
    if (!(error instanceof TargetRefused)) throw error;
    if (error.refusal === 'unresolved') return;
    throw new ProtocolError('invalid_request', error.message, { param: 'url' });
  }
}
