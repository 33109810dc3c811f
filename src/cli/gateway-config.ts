import type { Command } from 'commander';
import { type Config, loadConfig } from '#config/load.ts';
import { packageRoot } from './package-facts.ts';

export interface ConfigOptions {
  config?: string;
  host?: string;
  port?: string;
  data?: string;
  advertise?: string;
}

/** Adds the options that choose a configuration. */
export function withConfigOptions(command: Command, names: readonly (keyof ConfigOptions)[]): Command {
  const texts = {
    config: ['--config <file>', 'configuration file (default: config/gateway.yaml of the package)'],
    host: ['--host <host>', 'address to listen on'],
    port: ['--port <port>', 'port to listen on; 0 takes any free one'],
    data: ['--data <dir>', 'data directory'],
    advertise: ['--advertise <url>', 'where the other nodes of its log reach this one (store.advertise)'],
  } as const;
  for (const name of names) command.option(texts[name][0], texts[name][1]);
  return command;
}

/** The configuration of flags, environment and file. Throws ConfigError with every fault. */
export function configOf(flags: ConfigOptions): Config {
  return loadConfig({ flags, env: process.env, cwd: process.cwd(), packageRoot });
}

/** The same, and the programs of upstreams are looked for. */
export function checkedConfigOf(flags: ConfigOptions): Config {
  return loadConfig({ flags, env: process.env, cwd: process.cwd(), packageRoot, programs: true });
}

/** The same for commands that only open the data directory: what just a start needs is not checked, and may be absent. */
export function offlineConfigOf(flags: ConfigOptions): Config {
  return loadConfig({ flags, env: process.env, cwd: process.cwd(), packageRoot, offline: true });
}
