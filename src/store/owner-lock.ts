import { createHash } from 'node:crypto';
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreOpenError } from './store-errors.ts';

/** How long a live owner may take to send its pid. After that the message names none. */
const OWNER_ANSWER_MS = 1_000;
/** An owner can die between our bind and our question; then its address is free and we try again. */
const MAX_ATTEMPTS = 5;

export interface OwnerLock {
  release(): Promise<void>;
}

/**
 * Where the owner of a directory listens. Linux: an abstract socket, which the kernel frees with the process. Windows: a
 * named pipe, freed likewise. Elsewhere a socket file, which stays behind after a kill and is then replaced.
 */
export function ownerAddress(realPath: string, platform: NodeJS.Platform): string {
  const name = `harn-${createHash('sha256').update(realPath).digest('hex')}`;
  if (platform === 'linux') return `\0${name}`;
  if (platform === 'win32') return `\\\\.\\pipe\\${name}`;
  return join(tmpdir(), `${name.slice(0, 37)}.sock`);
}

/**
 * Makes this process the only owner of the directory (made when missing) until `release` or its death. LevelDB's own lock
 * is lost when any code in the process opens and closes its LOCK file (a backup does); this one is not. A second owner gets
 * StoreOpenError `locked` with the owner's pid.
 */
export async function acquireOwnerLock(
  dir: string,
  platform: NodeJS.Platform = process.platform,
): Promise<OwnerLock> {
  const realPath = ownedDirectory(dir);
  const address = ownerAddress(realPath, platform);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const server = await listen(address);
    if (server !== undefined) return { release: () => shut(server) };
    const owner = await askOwner(address);
    if (owner.alive) throw inUse(realPath, owner.pid);
    if (!address.startsWith('\0')) rmSync(address, { force: true });
  }
  throw inUse(realPath, undefined);
}

function ownedDirectory(dir: string): string {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    return realpathSync(dir);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new StoreOpenError('unreadable', dir, `${dir} cannot be opened: ${detail}`, { cause });
  }
}

function inUse(path: string, ownerPid: number | undefined): StoreOpenError {
  const owner = ownerPid === undefined ? 'another process' : `process ${ownerPid}`;
  return new StoreOpenError(
    'locked',
    path,
    `${path} is in use by ${owner}. Stop it or choose another data directory.`,
    ownerPid === undefined ? {} : { ownerPid },
  );
}

/** The listening server, or undefined when the address is taken. */
function listen(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      // The peer may leave before it reads the pid. That is no error.
      socket.on('error', () => socket.destroy());
      socket.end(`${process.pid}\n`);
    });
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen(address, () => {
      server.unref();
      resolve(server);
    });
  });
}

function askOwner(address: string): Promise<{ alive: boolean; pid: number | undefined }> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(address);
    const done = (alive: boolean) => {
      socket.destroy();
      const pid = /^\d{1,10}\n$/.test(answer) ? Number(answer) : undefined;
      resolve({ alive, pid });
    };
    socket.setEncoding('utf8').setTimeout(OWNER_ANSWER_MS, () => done(true));
    socket.on('data', (text) => {
      answer = (answer + String(text)).slice(0, 16);
    });
    socket.once('end', () => done(true));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      done(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT');
    });
  });
}

function shut(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
