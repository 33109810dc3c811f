import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderExample } from '#config/example.ts';
import { loadConfig } from '#config/load.ts';
import { findPackageRoot } from '#config/package-root.ts';
import { configJsonSchema } from '#config/schema.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { faultsOf, load } from './config-harness.ts';

const packageRoot = findPackageRoot(import.meta.url);
const example = readFileSync(join(packageRoot, 'config', 'gateway.example.yaml'), 'utf8');

/** The example with its commented options switched on in place of their empty defaults. */
function switchedOn(text: string): string {
  const lines = text
    .split('\n')
    .filter(
      (line) =>
        !/^ *(api_keys|tenants|workspaces|vaults|quotas|connectors|acp|mcp|approvals|resilience): \[\]$/.test(
          line,
        ),
    );
  return lines.map((line) => line.replace(/^( *)# ( *(- )?[a-z0-9_]+:( .*)?| +#.*)$/, '$1$2')).join('\n');
}

describe('config/gateway.example.yaml', () => {
  it('is what the program itself writes from the schema', () => {
    expect(example).toBe(renderExample());
  });

  it('loads, and says exactly the defaults', () => {
    expect({ ...load({ yaml: example }), file: undefined }).toEqual(load());
  });

  it('has only valid examples for options without a default', () => {
    const faults = faultsOf({
      yaml: switchedOn(example),
      env: { SHOP_AGENT_TOKEN: 'x', SHOP_WEBHOOK_SECRET: 'x', APPROVALS_SECRET: 'x' },
      files: {
        '/srv/gateway/tls/cert.pem': 'none',
        '/srv/gateway/tls/key.pem': 'none',
        '/srv/gateway/config/personas/README.md': '',
      },
    });
    // A server is a program or an endpoint, a vault has one provider, a credential one type, a connector is
    // called or polled; the example shows the
    // options of all.
    const ofOauth2 = ['a2a', 'acp', 'mcp'].flatMap((kind) =>
      ['token_url', 'client_id', 'scope', 'audience'].map((name) => `upstreams.${kind}[0].auth.${name}`),
    );
    const eitherOr = [
      ...ofOauth2,
      'connectors[0].auth',
      'vaults[0].prefix',
      'vaults[0].dir',
      'upstreams.acp[0].command',
      'upstreams.acp[0].auth',
      ...['command', 'auth', 'cwd'].map((name) => `upstreams.mcp[0].${name}`),
    ];
    expect(faults.map(({ path }) => path).sort()).toEqual(
      [...eitherOr, 'server.grpc.tls.client_ca', 'server.tls', 'store.advertise', 'catalog.file'].sort(),
    );
  });

  it('explains every option', () => {
    expect(unexplained(configJsonSchema(), 'config')).toEqual([]);
  });
});

describe('config/gateway.yaml', () => {
  it('runs as it is, whatever the working directory', () => {
    const config = loadConfig({ flags: {}, env: {}, cwd: '/', packageRoot });
    expect(config.file).toBe(join(packageRoot, 'config', 'gateway.yaml'));
    expect([config.server.host, config.server.port, config.usesSampleAgent]).toEqual([
      '127.0.0.1',
      8080,
      true,
    ]);
  });
});

describe('the JSON Schema of the configuration', () => {
  const validate = new Ajv2020().compile(configJsonSchema());

  it('accepts the example file and refuses an unknown option', () => {
    expect(validate(withoutNulls(parse(example)))).toBe(true);
    expect(validate({ server: { prot: 1 } })).toBe(false);
  });
});

function withoutNulls(sections: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(sections).filter(([, value]) => value !== null));
}

/** Paths of the options, at any depth, that have no description. */
function unexplained(schema: JsonValue | undefined, path: string): string[] {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return [];
  const options = Object.entries((schema.properties ?? {}) as JsonObject);
  const silent = options.filter(([, option]) => (option as JsonObject).description === undefined);
  const below = options.flatMap(([name, option]) => unexplained(option, `${path}.${name}`));
  return [...silent.map(([name]) => `${path}.${name}`), ...below, ...unexplained(schema.items, `${path}[]`)];
}
