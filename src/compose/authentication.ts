import { isDeepStrictEqual } from 'node:util';
import { type ApiKeyRecord, apiKeyAuthenticator, type EndingKey } from '#auth/api-keys.ts';
import { bearerToken } from '#auth/authorization.ts';
import type { Authenticate, Authenticator } from '#auth/caller.ts';
import { type CacheUse, TokenAuthenticator } from '#auth/oauth/token-authenticator.ts';
import type { TrustedIssuer } from '#auth/oauth/token-verifier.ts';
import type { GatewayCore } from '#core/gateway-core.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import type { AdmittedCaller } from '#gateway.ts';
import { developmentKey } from '#operation/data-directory.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { type Clock, timestamp } from '#protocol/ports.ts';
import { scopesOfOperator } from '#protocol/scopes.ts';
import { isLive } from '#resources/api-key/fold.ts';
import { type ApiKeyState, apiKeyKeys } from '#resources/api-key/state.ts';
import { madeOf } from './made-of.ts';
import type { Parts } from './parts.ts';

/** Who may call, and what a reload does to it. */
export interface Authentication extends Authenticator {
  /** Keys, issuers or tenants of the configuration have changed; `issuers` is changed already. */
  reconsider(): void;
  /** Verdicts on access tokens: how many are kept, and how often one was asked for. */
  tokenCache(): CacheUse;
}

/** API keys first, then access tokens of the configured issuers. */
export function authenticator(
  parts: Parts,
  log: EventLog,
  issuers: ReadonlyMap<string, TrustedIssuer>,
): Authentication {
  const { config, clock, logger } = parts;
  const madeHere = keysOfLog(log, clock);
  const auth = () => config.auth;
  /** Keys as they were before a reload took them away or changed them. */
  const ended = new Set<ApiKeyRecord>();
  let records: readonly ApiKeyRecord[] = [];
  const byKey = madeOf(auth, () => {
    const before = records;
    hideFreshKey(parts);
    records = configuredKeys(parts);
    for (const record of before)
      if (!records.some((now) => isDeepStrictEqual(now, record))) ended.add(record);
    const judge = apiKeyAuthenticator(records, madeHere, (record) => !ended.has(record));
    return hidingKeys(judge, parts.redactor);
  });
  byKey();
  const tenants = new Set<string>(config.tenants.map(({ id }) => id));
  const tokens = new TokenAuthenticator({ clock, logger, issuers, tenants });
  return {
    recognize: (credential) => tokens.recognize(credential),
    tokenCache: () => tokens.use(),
    authenticate: (credential) => {
      const result = byKey()(credential);
      return result.kind === 'caller' ? result : tokens.authenticate(credential);
    },
    reconsider: () => {
      byKey();
      tenants.clear();
      for (const { id } of config.tenants) tenants.add(id);
      tokens.reconsider();
    },
  };
}

/** Makes the development key of the data directory where nobody else could call, and shows it once. */
function hideFreshKey({ config, redactor, random, onDevelopmentKey }: Parts): void {
  const isClosed = config.auth.api_keys.length > 0 || config.auth.oauth.length > 0;
  const fresh = isClosed ? undefined : developmentKey(config.store.data, random).fresh;
  if (fresh === undefined) return;
  redactor.addKnownSecret(fresh);
  onDevelopmentKey?.(fresh);
}

/** The keys that are not in the log: the configured ones, or the development key where nobody else could call. */
export function configuredKeys({
  config,
  random,
}: Pick<Parts, 'config' | 'random'>): readonly ApiKeyRecord[] {
  const { api_keys, oauth } = config.auth;
  const isClosed = api_keys.length > 0 || oauth.length > 0;
  const records = isClosed ? api_keys : [developmentKey(config.store.data, random).record];
  return records.map((record) => ({ ...record, scopes: scopesOfOperator(record.scopes) }));
}

/** Keys made at run time; they live while they are neither revoked nor expired. */
function keysOfLog(log: EventLog, clock: Clock): (hash: string) => EndingKey | undefined {
  return (hash) => {
    const found = log.state<{ id: string }>(apiKeyKeys.apiKeyOfHash(hash));
    if (found === undefined) return undefined;
    const key = apiKeyKeys.apiKey(found.id);
    const state = log.state<ApiKeyState>(key);
    if (state === undefined) return undefined;
    const { id, actor, tenant_id: tenant, scopes, workspaces } = state.resource;
    return {
      record: { id, hash: state.internal.hash, actor, tenant, scopes, workspaces },
      isLive: () => {
        const known = log.state<ApiKeyState>(key);
        return known !== undefined && isLive(known.resource, timestamp(clock.now()));
      },
    };
  };
}

/** Only hashes are configured: a key becomes a known secret when it is first used. */
function hidingKeys(authenticate: Authenticate, redactor: Parts['redactor']): Authenticate {
  const hidden = new Set<string>();
  return (credential) => {
    const result = authenticate(credential);
    if (result.kind !== 'caller' || hidden.has(result.caller.credentialId)) return result;
    hidden.add(result.caller.credentialId);
    redactor.addKnownSecret(bearerToken(credential.authorization) ?? '');
    return result;
  };
}

/** Metrics are of all tenants together: they need the scope `metrics:read`. */
export function metricsReader(gateway: Pick<GatewayCore, 'holds'>): (caller: AdmittedCaller) => void {
  return (caller) => {
    if (gateway.holds(caller, 'metrics:read')) return;
    const message = 'Metrics need the scope metrics:read, or operator. Ask for a key that names it.';
    throw new ProtocolError('permission_denied', message, { details: { required_scope: 'metrics:read' } });
  };
}
