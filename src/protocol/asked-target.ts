import type { JsonValue } from './json.ts';

/** A command as it would be typed: its words with one space between them. */
export function commandOf(command: JsonValue | undefined, args?: JsonValue): string | undefined {
  const words = [command, args].flatMap((value) => (Array.isArray(value) ? value : [value]));
  const texts = words.flatMap((word) => (typeof word === 'string' ? [word] : []));
  return texts.length === 0 ? undefined : texts.join(' ');
}

/** A path without `.` and `..`, so that a glob over a folder matches nothing outside of it. */
export function plainPath(path: string): string {
  const isAbsolute = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
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
