import { sha256Hex } from '#json/canonical.ts';
import { type CleanText, own } from '#protocol/clean.ts';
import { type PermissionPolicy, permissionPolicy } from './schema.ts';

/** Hex digits of the hash that are part of the version. */
const DIGITS = 24;

/** The version of a policy, a hash over what it says: equal content has the same one here and in Harn 0.10.185. */
export function policyVersion({
  read,
  write,
  exec,
  net,
  llm,
  redact,
  escalate_to,
}: PermissionPolicy): CleanText {
  const { providers, cost_ceiling_usd_cents: ceiling } = llm;
  const members = {
    read: sorted(read),
    write: sorted(write),
    exec: sorted(exec),
    net: sorted(net),
    llm_providers: sorted(providers),
    ...(ceiling === null || ceiling === undefined ? {} : { llm_cost_ceiling_usd_cents: ceiling }),
    redact_transcript: sorted(redact.transcript),
    redact_logs: sorted(redact.logs),
    escalate_to,
  };
  return own(`policy-${sha256Hex(JSON.stringify(members)).slice(0, DIGITS)}`);
}

function sorted(list: readonly string[]): string[] {
  return [...new Set(list)].sort(byCodePoints);
}

/** As Rust sorts: by UTF-8, where JavaScript goes by UTF-16. */
function byCodePoints(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** Of a tenant that has installed none. */
export const EMPTY_POLICY: PermissionPolicy = permissionPolicy.parse({});
export const EMPTY_POLICY_VERSION: CleanText = policyVersion(EMPTY_POLICY);
