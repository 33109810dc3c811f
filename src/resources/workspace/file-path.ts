import { ProtocolError } from '#protocol/errors.ts';

/** Bytes of one name; what common file systems take. */
const MAX_NAME_BYTES = 255;
/** Control characters, and the separator of another system, which would mean something else there. */
const FORBIDDEN = /[\p{Cc}\\]/u;

/** The names of a path below a workspace root; the empty path and `.` are the root. Throws invalid_request. */
export function namesOfPath(path: string): string[] {
  if (path.startsWith('/'))
    throw badPath('must not begin with "/"; it is relative to the root of the workspace');
  const names = path.replace(/\/$/, '').split('/');
  return names.filter((name) => name !== '.' && name !== '').map(checkedName);
}

/** The same for a file that is written: never the root, never a directory. */
export function namesOfFile(path: string | undefined): string[] {
  if (path === undefined) throw badPath('is required: name the file');
  const names = namesOfPath(path);
  if (names.length === 0 || path.endsWith('/')) throw badPath('must name a file, not a directory');
  return names;
}

function checkedName(name: string): string {
  if (name === '..') throw badPath('must not contain ".."');
  if (FORBIDDEN.test(name)) throw badPath('must not contain control characters or "\\"');
  if (Buffer.byteLength(name) > MAX_NAME_BYTES)
    throw badPath(`has a name longer than ${MAX_NAME_BYTES} bytes`);
  return name;
}

function badPath(problem: string): ProtocolError {
  return new ProtocolError('invalid_request', `path: ${problem}.`, { param: 'path' });
}
