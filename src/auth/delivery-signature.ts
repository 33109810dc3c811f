import { createHmac, timingSafeEqual } from 'node:crypto';
import { sha256Hex } from '#json/canonical.ts';
import type { Clock } from '#protocol/ports.ts';
import type { ConnectorRow, DeliveryAuth } from '#resources/connector/schema.ts';
import type { Authentication } from './caller.ts';

/** A delivery before anything of it is believed. */
export interface UnverifiedDelivery {
  connectorId: string;
  /** By lower-case name. */
  headers: Readonly<Record<string, string>>;
  bytes: Buffer;
}

export type AuthenticateDelivery = (delivery: UnverifiedDelivery) => Authentication;

/** What a verified delivery may do: no more than to bring work into its workspace. */
const SCOPES: ReadonlySet<string> = new Set(['sessions:write', 'messages:write', 'tasks:write']);
const UNAUTHENTICATED: Authentication = { kind: 'unauthenticated' };

/**
 * Checks the HMAC-SHA256 of a delivery in constant time. `timestamp_body`: the header is `t=<unix s>,v1=<hex>` over
 * `<t>.<body>`, and a time further off than the tolerance is refused; `body`: it is `sha256=<hex>` or plain hex over the
 * body. An unknown connector and a wrong signature look the same. `readSecret` returns undefined while it cannot.
 */
export function deliveryAuthenticator(
  rows: readonly ConnectorRow[],
  readSecret: (connectorId: string) => string | undefined,
  clock: Clock,
): AuthenticateDelivery {
  const byId = new Map(rows.flatMap((row) => (row.auth ? [[row.id, { ...row, auth: row.auth }]] : [])));
  return ({ connectorId, headers, bytes }) => {
    const row = byId.get(connectorId);
    const header = row && headers[row.auth.header.toLowerCase()];
    if (!row || header === undefined) return UNAUTHENTICATED;
    const signed = signedContent(row, header, clock.now());
    if (signed === undefined) return UNAUTHENTICATED;
    const secret = readSecret(connectorId);
    if (secret === undefined) return { kind: 'unavailable' };
    const expected = createHmac('sha256', secret).update(signed.prefix).update(bytes).digest();
    const isRight = signed.signatures.some((hex) => isEqual(expected, hex));
    if (!isRight) return UNAUTHENTICATED;
    // Where no time is signed, the same body may well be a new delivery.
    if (signed.prefix === '') return { kind: 'caller', caller: callerOf(row) };
    const signedSha256 = sha256Hex(Buffer.concat([Buffer.from(signed.prefix), bytes]));
    return { kind: 'caller', caller: { ...callerOf(row), signedSha256 } };
  };
}

interface SignedContent {
  /** What was signed before the body. */
  prefix: string;
  signatures: string[];
}

function signedContent(
  { auth }: { auth: DeliveryAuth },
  header: string,
  nowMs: number,
): SignedContent | undefined {
  if (auth.signed === 'body') return { prefix: '', signatures: [header.trim().replace(/^sha256=/, '')] };
  const members = header.split(',').map((member) => member.trim());
  const time = members.find((member) => member.startsWith('t='))?.slice(2) ?? '';
  if (!/^\d{1,12}$/.test(time)) return undefined;
  if (Math.abs(nowMs / 1000 - Number(time)) > auth.tolerance_seconds) return undefined;
  const signatures = members.filter((member) => member.startsWith('v1=')).map((member) => member.slice(3));
  return { prefix: `${time}.`, signatures };
}

function isEqual(expected: Buffer, hex: string): boolean {
  return /^[0-9a-fA-F]{64}$/.test(hex) && timingSafeEqual(expected, Buffer.from(hex, 'hex'));
}

function callerOf({ id, tenant, workspace }: ConnectorRow) {
  return { actor: id, tenant, scopes: SCOPES, workspaces: [workspace], credentialId: `connector:${id}` };
}
