import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { ProtocolError } from '#protocol/errors.ts';
import { type Exchange, send, sendEmpty } from './exchange.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** What the build writes beside each file: the same bytes, compressed. */
const COMPRESSED = '.br';

interface StaticFile {
  readonly type: string;
  readonly tag: string;
  readonly plain: Buffer;
  readonly compressed: Buffer | undefined;
}

/**
 * The files of one folder of a built page, by their names in it. Read from the disk when the first is asked for and kept: a
 * request never names a path.
 */
export class StaticFiles {
  readonly #folder: string;
  readonly #policy: () => string;
  #files: ReadonlyMap<string, StaticFile> | undefined;

  /** `policy`: the Content-Security-Policy of pages, as of each request. */
  constructor(folder: string, policy: () => string) {
    this.#folder = folder;
    this.#policy = policy;
  }

  /**
   * Sends a file, compressed to who takes it so, or 304. What bears the hash of its content in its name may be kept forever.
   * Throws `resource_not_found` for a name that is no file of the folder.
   */
  send(exchange: Exchange, name: string): void {
    this.#files ??= readFiles(this.#folder);
    const file = this.#files.get(name);
    if (file === undefined)
      throw new ProtocolError('resource_not_found', `No such file. ${this.#files.size} are served here.`);
    const { headers } = exchange.req;
    const isPage = file.type.startsWith('text/html');
    const common = [
      ...['ETag', file.tag, 'Vary', 'Accept-Encoding'],
      ...['Cache-Control', isPage ? 'no-cache' : 'public, max-age=31536000, immutable'],
      ...(isPage ? ['Content-Security-Policy', this.#policy(), 'Referrer-Policy', 'no-referrer'] : []),
    ];
    if (headers['if-none-match'] === file.tag) {
      sendEmpty(exchange, 304, common);
      return;
    }
    const takesBrotli = /\bbr\b/.test(String(headers['accept-encoding'] ?? ''));
    const compressed = takesBrotli ? file.compressed : undefined;
    const encoding = compressed === undefined ? [] : ['Content-Encoding', 'br'];
    send(exchange, 200, file.type, compressed ?? file.plain, [...common, ...encoding]);
  }
}

function readFiles(folder: string): ReadonlyMap<string, StaticFile> {
  const names = namesIn(folder);
  const files = new Map<string, StaticFile>();
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const plain = readFileSync(join(folder, name));
    const tag = `"${createHash('sha256').update(plain).digest('base64url')}"`;
    const compressed = names.has(name + COMPRESSED)
      ? readFileSync(join(folder, name + COMPRESSED))
      : undefined;
    files.set(name, { type, tag, plain, compressed });
  }
  return files;
}

/** Throws for a folder that was not built: the package has it, and a checkout after `npm run build`. */
function namesIn(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new ProtocolError('resource_not_found', 'This page was not built. Run npm run build.');
  }
}
