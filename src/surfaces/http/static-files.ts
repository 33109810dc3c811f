import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { ProtocolError } from '#protocol/errors.ts';
import { type Exchange, send, sendEmpty } from './exchange.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Of files that the build has compressed, in place of the files themselves. */
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

/** Only a browser asks for a page by name. */
export function wantsPage({ req }: Exchange): boolean {
  return (req.headers.accept ?? '').includes('text/html');
}

/** Sends a browser on to a page. */
export function leadTo(exchange: Exchange, page: string): void {
  sendEmpty(exchange, 302, ['Location', page, 'Vary', 'Accept', 'Content-Length', '0']);
}

/** Nothing is run or loaded but what the gateway serves; calls go to it and to these origins. Spec: CSP 3. */
export function pagePolicy(origins: readonly string[] = []): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // Pictures among artifacts: the page reads them with its key, and shows what it read.
    "img-src 'self' data: blob:",
    `connect-src ${["'self'", ...origins].join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function readFiles(folder: string): ReadonlyMap<string, StaticFile> {
  const files = new Map<string, StaticFile>();
  for (const stored of namesIn(folder)) {
    const isCompressed = stored.endsWith(COMPRESSED);
    const name = isCompressed ? stored.slice(0, -COMPRESSED.length) : stored;
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const bytes = readFileSync(join(folder, stored));
    const plain = isCompressed ? brotliDecompressSync(bytes) : bytes;
    const tag = `"${createHash('sha256').update(plain).digest('base64url')}"`;
    files.set(name, { type, tag, plain, compressed: isCompressed ? bytes : undefined });
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
