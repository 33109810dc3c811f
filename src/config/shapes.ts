import { isIP } from 'node:net';
import { z } from 'zod';

/** Ids that operators choose. They appear in routes (`a2a:<id>`), paths and log keys, hence the small alphabet. */
export const operatorId = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9_-]{0,62}$/,
    'must be 1 to 63 characters of a-z, 0-9, "_" and "-", and begin with a letter or digit',
  );

export const port = z
  .int('must be a whole number from 0 to 65535')
  .min(0, 'must be a whole number from 0 to 65535')
  .max(65_535, 'must be a whole number from 0 to 65535');

const hostName =
  /^(?=.{1,253}$)[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$/;

export const host = z
  .string()
  .refine(
    (text) => isIP(text) !== 0 || hostName.test(text),
    'must be an IP address or a host name, without a port',
  );

/** An address or an address range in CIDR form. */
export const addressRange = z
  .string()
  .refine(isAddressRange, 'must be an IP address or a range such as 10.0.0.0/8');

export const filePath = z.string().min(1, 'must name a file or directory');

/** A count or size that must be at least 1. */
export const positive = z.int('must be a whole number').min(1, 'must be 1 or more');

/** Milliseconds. Node fires a longer timer at once, hence the upper bound (24.8 days). */
export const duration = positive.max(2_147_483_647, 'must be 2147483647 (24.8 days) or less');

/** Milliseconds that may be none. */
export const pause = z
  .int('must be a whole number')
  .min(0, 'must be 0 or more')
  .max(60_000, 'must be 60000 (a minute) or less');

function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}

/** True for `localhost` and the loopback addresses of both families; false for names and wildcards. */
export function isLoopbackHost(name: string): boolean {
  const bare = name.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  if (bare === 'localhost' || bare === '::1') return true;
  return isIP(bare) === 4 && bare.startsWith('127.');
}

/** The URL when the text is one of http or https without user info or fragment; else undefined. */
export function webUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  return isWeb && url.username === '' && url.password === '' && url.hash === '' ? url : undefined;
}

export const origin = z.string().refine((text) => {
  const url = webUrl(text);
  return url !== undefined && url.origin === text;
}, 'must be an origin such as https://app.example.com, without a path');
