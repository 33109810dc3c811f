import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { apiKeyHash } from '#auth/api-keys.ts';
import { type Config, loadConfig } from '#config/load.ts';

/** The only key of the measured gateways; they listen on loopback and live for seconds. */
export const BENCH_KEY = `hk_bench_${'0123456789abcdef'.repeat(3)}`;

/** Writes the configuration of a measured gateway: the defaults, a key, a free port, the given upstreams and further sections. */
export function writeConfig(
  data: string,
  a2a: readonly object[] = [],
  acp: readonly object[] = [],
  mcp: readonly object[] = [],
  more: object = {},
): string {
  const file = join(data, 'gateway.bench.yaml');
  const sections = {
    server: { port: 0 },
    store: { data },
    auth: { api_keys: [{ id: 'bench', hash: apiKeyHash(BENCH_KEY), actor: 'actor_bench' }] },
    upstreams: { a2a, acp, mcp },
    ...more,
  };
  writeFileSync(file, stringify(sections));
  return file;
}

export function readConfig(file: string): Config {
  return loadConfig({ flags: { config: file }, env: {}, cwd: process.cwd(), packageRoot: process.cwd() });
}
