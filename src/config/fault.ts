/** One thing wrong with the configuration. `path` names the option, environment variable or flag. */
export interface ConfigFault {
  /** `upstreams.a2a[0].card`, `HARN_GATEWAY_PORT`, `--port`; empty when the whole file is at fault. */
  path: string;
  /** What is wrong and what is wanted. Never holds the faulty value: it may be a secret. */
  message: string;
  file?: string;
  /** Position in `file`, both from 1. */
  line?: number;
  col?: number;
}

/** A fault before its path is spelled out and looked up in the file. */
export interface PathFault {
  path: readonly (string | number)[];
  message: string;
}

/** Every fault of a configuration at once. The operator corrects all of them and starts again; exit code 2. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`;
    super(`The configuration has ${count}:\n${faults.map((fault) => `  ${formatFault(fault)}`).join('\n')}`);
    this.faults = faults;
  }
}

/** One line for people: `gateway.yaml:3:5 server.port: must be ...`. */
export function formatFault({ path, message, file, line, col }: ConfigFault): string {
  const position = line === undefined ? '' : `:${line}:${col ?? 1}`;
  const place = file === undefined ? '' : `${file}${position} `;
  return path === '' ? `${place}${message}` : `${place}${path}: ${message}`;
}

/** `['upstreams', 'a2a', 0, 'card']` as `upstreams.a2a[0].card`. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}
