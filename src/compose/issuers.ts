import { IssuerKeys, type IssuerReader, readIssuerKeys } from '#auth/oauth/issuer-keys.ts';
import type { TrustedIssuer } from '#auth/oauth/token-verifier.ts';
import type { Config } from '#config/load.ts';
import type { Clock } from '#protocol/ports.ts';
import { fetchSmallJson } from './fetch-json.ts';
import { operatorGuard, outboundGuard } from './outbound-guard.ts';
import type { Parts } from './parts.ts';

/** The configured issuers with their keys, by issuer. Nothing is read yet. */
export function trustedIssuers(parts: Parts): Map<string, TrustedIssuer> {
  const { config, clock, logger } = parts;
  const reader = issuerReader(parts);
  return new Map(
    config.auth.oauth.map((row) => {
      const keys = new IssuerKeys(row, { clock, logger, ...reader });
      return [row.issuer, { row, keys }];
    }),
  );
}

/** Asks every issuer that was never reached: at the start, and again until it is. */
export function lookAtIssuers(issuers: ReadonlyMap<string, TrustedIssuer>): void {
  for (const { keys } of issuers.values()) keys.look();
}

/** Issuers whose tokens cannot be judged, because their keys were never read. */
export function neverReached(issuers: ReadonlyMap<string, TrustedIssuer>): string[] {
  return [...issuers.values()].filter(({ keys }) => !keys.wasReached).map(({ row }) => row.issuer);
}

/** What one look at an issuer found. */
export interface IssuerSight {
  /** Where it is configured, for example `auth.oauth[0]`. */
  path: string;
  issuer: string;
  /** Keys that it publishes; undefined when they could not be read. */
  keys?: number;
  /** Why no token of it could be accepted now. */
  fault?: string;
  /** How far its clock is from ours, in milliseconds, to a second or so; positive: it is ahead. Undefined where it says no time. */
  skewMs?: number;
}

/** Looks at every configured issuer once, without a gateway. */
export function inspectIssuers(config: Config, clock: Pick<Clock, 'now'>): Promise<IssuerSight[]> {
  return Promise.all(
    config.auth.oauth.map(async (row, at) => {
      const named: IssuerSight = { path: `auth.oauth[${at}]`, issuer: row.issuer };
      const reader = issuerReader({ config }, ({ headers }) => {
        const told = Date.parse(headers.get('date') ?? '');
        if (!Number.isNaN(told)) named.skewMs = told - clock.now();
      });
      try {
        const { keys } = await readIssuerKeys(row, reader);
        const algorithms = new Set(keys.flatMap(({ alg }) => alg ?? []));
        const accepted: readonly string[] = row.algorithms;
        const isAccepted = algorithms.size === 0 || accepted.some((name) => algorithms.has(name));
        if (isAccepted) return { ...named, keys: keys.length };
        const fault = `its keys are for ${[...algorithms].join(', ')}, and algorithms lists none of these`;
        return { ...named, keys: keys.length, fault };
      } catch (error) {
        return { ...named, fault: whyUnread(error) };
      }
    }),
  );
}

function issuerReader(
  parts: Pick<Parts, 'config' | 'resolveHost'>,
  seen?: (answer: Response) => void,
): IssuerReader {
  const own = operatorGuard(parts);
  const foreign = outboundGuard(parts);
  return {
    fetchJson: (url) => fetchSmallJson(own, url, seen),
    fetchForeignJson: (url) => fetchSmallJson(foreign, url, seen),
  };
}

/** `fetch` says only that it failed; what the network said is its cause. */
function whyUnread(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  const said = cause instanceof Error && cause.message !== '' ? cause.message : code;
  return said === undefined ? error.message : `${error.message}: ${said}`;
}
