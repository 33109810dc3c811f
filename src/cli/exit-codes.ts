import { ConfigError } from '#config/fault.ts';
import { OtherSchemaError } from '#eventlog/log-meta.ts';
import { KeyRegistryError } from '#receipts/key-files.ts';
import { DataFileError } from '#store/checked-file.ts';
import { IntegrityError, StoreOpenError } from '#store/store-errors.ts';
import { openFilesFault } from './open-files.ts';

/** Exit codes of every command. Scripts rely on them; see README.md. */
export const EXIT = {
  fine: 0,
  /** A finding or a failure. */
  failed: 1,
  /** Wrong usage or a faulty configuration. */
  usage: 2,
  cannotOpenData: 3,
  dataInUse: 4,
  newerData: 5,
} as const;

/** An error that the user can mend: one line of text and an exit code. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = EXIT.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

const LISTEN_FAILURES: Readonly<Record<string, (address: string) => string>> = {
  EADDRINUSE: (address) =>
    `The port is in use: ${address}. Choose another one with --port, or stop its owner.`,
  EACCES: (address) => `${address} may not be used by this user. Choose a port above 1023 with --port.`,
  EADDRNOTAVAIL: (address) => `${address} is no address of this machine. Choose another one with --host.`,
};

/** What an error of a command means to the shell, and the line that says why. */
export function describeFailure(error: unknown): { exitCode: number; message: string } {
  const tooManyOpen = openFilesFault(error);
  if (tooManyOpen !== undefined) return { exitCode: EXIT.failed, message: tooManyOpen };
  if (error instanceof CliError) return { exitCode: error.exitCode, message: error.message };
  if (error instanceof ConfigError) return { exitCode: EXIT.usage, message: error.message };
  if (error instanceof OtherSchemaError)
    return { exitCode: error.isNewer ? EXIT.newerData : EXIT.cannotOpenData, message: error.message };
  if (error instanceof KeyRegistryError) return { exitCode: EXIT.cannotOpenData, message: error.message };
  if (error instanceof DataFileError) return { exitCode: EXIT.cannotOpenData, message: error.message };
  if (error instanceof IntegrityError) return { exitCode: EXIT.cannotOpenData, message: error.message };
  if (error instanceof StoreOpenError) {
    const exitCode = error.reason === 'locked' ? EXIT.dataInUse : EXIT.cannotOpenData;
    return { exitCode, message: error.message };
  }
  const listening = listenFailure(error);
  if (listening !== undefined) return { exitCode: EXIT.usage, message: listening };
  return { exitCode: EXIT.failed, message: error instanceof Error ? error.message : String(error) };
}

/** Only errors of `listen`. The same codes are also used for files that may not be opened. */
function listenFailure(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('syscall' in error) || error.syscall !== 'listen') return undefined;
  const { code, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  const host = address?.includes(':') ? `[${address}]` : address;
  return LISTEN_FAILURES[code ?? '']?.(`${host}:${port}`);
}
