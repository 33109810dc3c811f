import type { JsonValue } from './json.ts';

/** A command as it would be typed: its words with one space between them. */
export function commandOf(command: JsonValue | undefined, args?: JsonValue): string | undefined {
  const words = [command, args].flatMap((value) => (Array.isArray(value) ? value : [value]));
  const texts = words.flatMap((word) => (typeof word === 'string' ? [word] : []));
  return texts.length === 0 ? undefined : texts.join(' ');
}

/** What begins like an address with a path; `C:` alone is a drive. */
const HAS_SCHEME = /^[a-z][a-z0-9+.-]+:\//i;

/** A path without `.` and `..`, so that a glob over a folder matches nothing outside of it. Addresses spell them `%2e` as well. */
export function plainPath(path: string): string {
  const isAbsolute = path.startsWith('/');
  const isAddress = HAS_SCHEME.test(path);
  const parts: string[] = [];
  for (const spelled of path.split('/')) {
    const part = isAddress && /^(\.|%2e){1,2}$/i.test(spelled) ? spelled.replace(/%2e/gi, '.') : spelled;
    if (part === '' || part === '.') continue;
    const isUp = part === '..' && (parts.length > 0 || isAbsolute) && parts.at(-1) !== '..';
    if (isUp) parts.pop();
    else parts.push(part);
  }
  return `${isAbsolute ? '/' : ''}${parts.join('/')}` || '.';
}

/** The host of an address, in lower case; the address may lack its scheme. A text that has none is its own. */
export function hostOf(address: string): string {
  for (const url of [address, `http://${address}`]) {
    const host = URL.canParse(url) ? new URL(url).hostname : '';
    if (host !== '') return host;
  }
  return address.toLowerCase();
}
