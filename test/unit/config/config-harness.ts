import { ConfigError, type ConfigFault } from '#config/fault.ts';
import { type Config, type ConfigSources, loadConfig } from '#config/load.ts';

const CWD = '/srv/gateway';
const PACKAGE_ROOT = '/opt/harn-gateway';
const DEFAULT_FILE = `${PACKAGE_ROOT}/config/gateway.yaml`;

export interface Given extends Partial<Omit<ConfigSources, 'readFile' | 'listFiles'>> {
  /** Text of the default configuration file; absent: there is none. */
  yaml?: string;
  /** Other files by absolute path. */
  files?: Record<string, string>;
}

function sourcesOf({ yaml, files = {}, ...given }: Given): ConfigSources {
  const texts: Record<string, string> = yaml === undefined ? files : { ...files, [DEFAULT_FILE]: yaml };
  const readFile = (path: string): string => {
    const text = texts[path];
    if (text === undefined) throw Object.assign(new Error(`no such file ${path}`), { code: 'ENOENT' });
    return text;
  };
  const listFiles = (dir: string): string[] => {
    const found = Object.keys(texts).filter((path) => path.startsWith(`${dir}/`));
    if (found.length === 0) throw Object.assign(new Error(`no such directory ${dir}`), { code: 'ENOENT' });
    return found.map((path) => path.slice(dir.length + 1));
  };
  return { flags: {}, env: {}, cwd: CWD, packageRoot: PACKAGE_ROOT, ...given, readFile, listFiles };
}

/** Loads a configuration from texts in memory. */
export function load(given: Given = {}): Config {
  return loadConfig(sourcesOf(given));
}

/** The error of a configuration that must not load. */
export function refusal(given: Given): ConfigError {
  try {
    load(given);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('The configuration loaded although it is faulty.');
}

export function faultsOf(given: Given): readonly ConfigFault[] {
  return refusal(given).faults;
}

/** The one fault of a configuration, as `path: message`. */
export function onlyFault(given: Given): string {
  const faults = faultsOf(given);
  if (faults.length !== 1) throw new Error(`Expected one fault, got: ${refusal(given).message}`);
  return faults.map(({ path, message }) => `${path}: ${message}`).join();
}
