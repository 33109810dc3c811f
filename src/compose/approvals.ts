import { ConfigError } from '#config/fault.ts';
import type { Config } from '#config/load.ts';
import type { ApprovalFacts, ApprovalTerms } from '#core/facts.ts';
import type { OutboxDeps } from '#resources/push/sender.ts';
import { secretReader } from './clients.ts';
import { madeOf } from './made-of.ts';
import type { Parts } from './parts.ts';

const ONE_OF_ALL = { quorum: 1, fourEyes: false, timeoutMs: undefined, webhooks: [] };

/** How the requests of each workspace are answered, as configured. */
export function approvalFacts(config: Pick<Config, 'policy'>, redactor: Parts['redactor']): ApprovalFacts {
  const rows = madeOf(
    () => config.policy,
    (policy) => termsByWorkspace(policy, redactor),
  );
  return { termsOf: (workspaceId) => rows().get(workspaceId) ?? ONE_OF_ALL };
}

function termsByWorkspace(
  { approvals }: Config['policy'],
  redactor: Parts['redactor'],
): ReadonlyMap<string, ApprovalTerms> {
  return new Map(
    approvals.map(({ workspace, quorum, four_eyes, timeout_ms, webhooks }) => [
      workspace,
      {
        quorum,
        fourEyes: four_eyes,
        timeoutMs: timeout_ms,
        webhooks: redactor.clean(webhooks.map(({ id }) => id)).value,
      },
    ]),
  );
}

/** The configured webhooks by id. Their secrets are known secrets from now on. */
export function webhooks(parts: Parts): OutboxDeps['webhook'] {
  const { config, logger } = parts;
  const rows = madeOf(
    () => config.policy,
    ({ approvals }) => new Map(approvals.flatMap((row) => row.webhooks.map((hook) => [hook.id, hook]))),
  );
  const read = secretReader(parts);
  const webhook: OutboxDeps['webhook'] = (id) => {
    const found = rows().get(id);
    if (found === undefined) return { kind: 'gone' };
    try {
      return { kind: 'known', url: found.url, secret: read(found.secret) };
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      logger.error({ err: error, webhook: id }, 'the secret of a webhook cannot be read');
      return { kind: 'secret_missing' };
    }
  };
  for (const id of rows().keys()) webhook(id);
  return webhook;
}
