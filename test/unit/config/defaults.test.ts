import { describe, expect, it } from 'vitest';
import { load } from './config-harness.ts';

const agent = 'upstreams:\n  a2a:\n    - id: shop\n      card: https://shop.example.com/card.json\n';

describe('a file merged over the defaults', () => {
  it('keeps the bundled sample agent until upstreams.a2a is set', () => {
    const bundled = load({ yaml: 'server: {port: 1}' });
    const own = load({ yaml: agent });
    expect([bundled.usesSampleAgent, bundled.defaultRoute.route, bundled.upstreams.a2a]).toEqual([
      true,
      'a2a:sample',
      [],
    ]);
    expect([own.usesSampleAgent, own.defaultRoute.route]).toEqual([false, 'a2a:shop']);
  });

  it('has no upstream and no default route when upstreams.a2a is an empty list', () => {
    const config = load({ yaml: 'upstreams: {a2a: []}' });
    expect([config.usesSampleAgent, config.defaultRoute.route]).toEqual([false, undefined]);
  });

  const acp = 'acp: [{id: coder, command: [node]}]';
  const mcp = 'mcp: [{id: files, command: [node]}]';
  const two = 'a2a: [{id: shop, card: "https://a"}, {id: other, card: "https://b"}]';

  it.each([
    ['', 'a2a:sample', 'the bundled sample agent: no agent is configured'],
    [mcp, 'a2a:sample', 'the bundled sample agent: no agent is configured'],
    [acp, 'acp:coder', 'the first agent of upstreams.acp'],
    [`${mcp}, ${acp}`, 'acp:coder', 'the first agent of upstreams.acp'],
    [`${acp}, ${two}`, 'a2a:shop', 'the first agent of upstreams.a2a'],
    [`a2a: [], ${acp}`, 'acp:coder', 'the first agent of upstreams.acp'],
    [`a2a: [], ${mcp}`, undefined, 'no agent is configured; set routing.default, or add an agent'],
  ])('sends what names no route, with upstreams {%s}, to %s', (upstreams, route, reason) => {
    expect(load({ yaml: `upstreams: {${upstreams}}` }).defaultRoute).toEqual({ route, reason });
  });

  it('sends it to a server of tools only where routing.default says so', () => {
    const yaml = `upstreams: {${mcp}, ${acp}}\nrouting: {default: "mcp:files"}`;
    expect(load({ yaml }).defaultRoute).toEqual({ route: 'mcp:files', reason: 'routing.default says so' });
  });

  it.each([
    ['nothing is set', 'server: {port: 1}', ['sample']],
    ['the list has no value', 'connectors:', ['sample']],
    ['the list is empty', 'connectors: []', []],
    ['agents are set', agent, []],
    ['it is reached from elsewhere', 'server: {host: 10.0.0.1, insecure: true}\nauth: {api_keys: [KEY]}', []],
  ])('has a connector to try on loopback beside the sample agent: %s', (_, text, ids) => {
    const key = `{id: a, actor: a, hash: "sha256:${'a'.repeat(64)}"}`;
    const { connectors, store, usesSampleConnector } = load({ yaml: text.replace('KEY', key) });
    expect([usesSampleConnector, connectors.map(({ id }) => id)]).toEqual([ids.length > 0, ids]);
    for (const { auth, deliver_as } of connectors)
      expect([auth?.secret, auth?.signed, deliver_as]).toEqual([
        { file: `${store.data}/sample-connector-secret` },
        'timestamp_body',
        'task',
      ]);
  });

  it('fills the options an agent leaves out', () => {
    const yaml = `${agent}      limits: {idle_timeout_ms: 5}\n`;
    expect(load({ yaml }).upstreams.a2a).toEqual([
      {
        id: 'shop',
        card: 'https://shop.example.com/card.json',
        protocol: 'auto',
        card_signature: 'optional',
        push: false,
        limits: {
          connect_timeout_ms: 10_000,
          first_frame_timeout_ms: 60_000,
          idle_timeout_ms: 5,
          total_timeout_ms: 3_600_000,
          max_frame_bytes: 4_194_304,
          max_response_bytes: 67_108_864,
          concurrency: 32,
        },
      },
    ]);
  });

  it('keeps the default of an option or section that is named without a value', () => {
    const config = load({ yaml: 'server:\n  port:\nlimits:\nupstreams:\n  a2a:\n' });
    expect([config.server.port, config.limits.max_json_depth, config.usesSampleAgent]).toEqual([
      8080,
      64,
      true,
    ]);
  });

  it('has the limits that the contract names', () => {
    const { limits } = load();
    expect(limits).toMatchObject({
      max_json_depth: 64,
      stream_buffer_bytes: 1_048_576,
      heartbeat_interval_ms: 15_000,
      idempotency_window_ms: 86_400_000,
      headers_timeout_ms: 10_000,
      request_timeout_ms: 30_000,
      keep_alive_timeout_ms: 5_000,
      max_headers: 100,
      max_requests_per_connection: 1_000,
    });
  });

  it('always has the default tenant and workspace, and grants a key the default ones', () => {
    const hash = `sha256:${'a'.repeat(64)}`;
    const config = load({
      yaml: `workspaces: [{id: w1}]\nauth: {api_keys: [{id: k, hash: "${hash}", actor: me}]}`,
    });
    expect(config.tenants).toEqual([{ id: 'tenant_default' }]);
    expect(config.workspaces.map(({ id }) => id)).toEqual(['workspace_default', 'w1']);
    expect(config.auth.api_keys).toEqual([
      {
        id: 'k',
        hash,
        actor: 'me',
        tenant: 'tenant_default',
        scopes: ['*'],
        workspaces: ['workspace_default'],
      },
    ]);
  });

  it('lets the file describe the default workspace itself', () => {
    const config = load({ yaml: 'workspaces: [{id: workspace_default, name: Home}]' });
    expect(config.workspaces).toEqual([{ id: 'workspace_default', tenant: 'tenant_default', name: 'Home' }]);
  });

  it('makes relative paths absolute from the working directory', () => {
    const yaml = `store: {data: d}\n${agent}      auth: {type: bearer, value: {file: secrets/token}}\n`;
    const config = load({ yaml, files: { '/srv/gateway/secrets/token': 't\n' } });
    expect(config.store.data).toBe('/srv/gateway/d');
    expect(config.upstreams.a2a[0]?.auth?.value).toEqual({ file: '/srv/gateway/secrets/token' });
  });
});
