import { describe, expect, it } from 'vitest';
import { faultsOf, load, onlyFault, refusal } from './config-harness.ts';

const hash = `sha256:${'a'.repeat(64)}`;
const key = (extra = '') => `{id: k, hash: "${hash}", actor: me${extra}}`;
const agent = (extra: string) =>
  `upstreams: {a2a: [{id: shop, card: "https://shop.example.com/card"${extra}}]}`;

describe('shape faults name the option and say what is wanted', () => {
  it.each([
    ['auth: {oauth: [{issuer: "http://i", audience: a}]}', 'auth.oauth[0].issuer: must be an https URL'],
    [
      'auth: {oauth: [{issuer: "https://i"}]}',
      'auth.oauth[0].audience: must name an audience, or a list of them',
    ],
    [
      'auth: {oauth: [{issuer: "https://i", audience: a, algorithms: [HS256]}]}',
      'auth.oauth[0].algorithms[0]:',
    ],
    [
      'auth: {oauth: [{issuer: "https://i", audience: a}, {issuer: "https://i", audience: b}]}',
      'auth.oauth[1].issuer: repeats the issuer of an earlier entry',
    ],
    [
      'auth: {oauth: [{issuer: "https://i", audience: a, workspaces: [elsewhere]}]}',
      'auth.oauth[0].workspaces[0]: names no configured workspace',
    ],
    ['server: {port: many}', 'server.port: must be a whole number from 0 to 65535'],
    ['server: {port: 70000}', 'server.port: must be a whole number from 0 to 65535'],
    ['server: {host: "a b"}', 'server.host: must be an IP address or a host name, without a port'],
    ['server: []', 'server: must be a map of options'],
    ['server: {insecure: "yes"}', 'server.insecure: must be true or false'],
    ['server: {public_url: "ftp://x"}', 'server.public_url: must be an http or https URL'],
    [
      'server: {public_url: "https://x/base"}',
      'server.public_url: must be an http or https URL without path',
    ],
    ['server: {allowed_origins: ["https://x/"]}', 'server.allowed_origins[0]: must be an origin'],
    ['server: {allowed_hosts: ["http://x"]}', 'server.allowed_hosts[0]: must be a host name'],
    [
      'server: {trusted_proxies: [10.0.0.0/33]}',
      'server.trusted_proxies[0]: must be an IP address or a range',
    ],
    ['server: {tls: {cert: a}}', 'server.tls.key: is required: text'],
    ['limits: {max_body_bytes: 0}', 'limits.max_body_bytes: must be 1 or more'],
    ['limits: {max_body_bytes: 1.5}', 'limits.max_body_bytes: must be a whole number'],
    ['limits: {max_json_depth: 65}', 'limits.max_json_depth: must be 64 or less'],
    ['limits: {cancel_wait_ms: 2147483648}', 'limits.cancel_wait_ms: must be 2147483647 (24.8 days) or less'],
    [
      'rate_limits: {caller_requests_per_second: 0}',
      'rate_limits.caller_requests_per_second: must be more than 0',
    ],
    ['rate_limits: {tenant_burst: 5}', 'rate_limits.tenant_burst: needs tenant_requests_per_second'],
    ['resilience: [{agent: a2a:gone}]', 'resilience[0].agent: names no configured agent'],
    [
      'resilience: [{agent: a2a:sample, fallback: a2a:sample}]',
      'resilience[0].fallback: is the agent itself',
    ],
    [
      'resilience: [{agent: a2a:sample, fallback: acp:gone}]',
      'resilience[0].fallback: names no configured agent',
    ],
    [
      'resilience: [{agent: a2a:sample, breaker: {failures: 0}}]',
      'resilience[0].breaker.failures: must be 1 or more',
    ],
    ['policy: {approvals: [{quorum: 0}]}', 'policy.approvals[0].quorum: must be 1 or more'],
    ['policy: {approvals: [{quorum: 17}]}', 'policy.approvals[0].quorum: must be 16 or less'],
    ['telemetry: {log_level: loud}', 'telemetry.log_level: must be one of trace, debug'],
    ['tenants: [{id: ACME}]', 'tenants[0].id: must be 1 to 63 characters'],
    ['auth: {api_keys: [{id: k, hash: abc, actor: me}]}', 'auth.api_keys[0].hash: must be "sha256:"'],
    [
      `auth: {api_keys: [${key(', scopes: [everything]')}]}`,
      'auth.api_keys[0].scopes[0]: must be one of workspaces:read',
    ],
    ['retention: {events_days: 0}', 'retention.events_days: must be 1 or more'],
    [
      'retention: {workspaces: [{id: a}, {id: a}]}',
      'retention.workspaces[1].id: repeats the id of an earlier entry',
    ],
    [
      `auth: {api_keys: [${key(', workspaces: []')}]}`,
      'auth.api_keys[0].workspaces: must name at least one workspace',
    ],
    ['upstreams: {a2a: [{id: shop}]}', 'upstreams.a2a[0].card: is required: text'],
    [
      'upstreams: {a2a: [{id: shop, card: "file:///x"}]}',
      'upstreams.a2a[0].card: must be an http or https URL',
    ],
    [agent(', protocol: "2.0"'), 'upstreams.a2a[0].protocol: must be auto, "1.0" or "0.3"'],
    [
      agent(', auth: {type: header, value: {env: T}}'),
      'upstreams.a2a[0].auth.name: is required when type is header',
    ],
    [
      agent(', auth: {type: bearer, name: X, value: {env: T}}'),
      'upstreams.a2a[0].auth.name: is not for type bearer',
    ],
    [
      agent(', auth: {type: header, name: Host, value: {env: T}}'),
      'upstreams.a2a[0].auth.name: must not be a header',
    ],
  ])('%s', (yaml, fault) => {
    expect(onlyFault({ yaml, env: { T: 'token' } })).toContain(fault);
  });

  it.each([
    ['sever: {port: 1}', 'sever: unknown option'],
    ['server: {prot: 1}', 'server.prot: unknown option'],
    ['server: {__proto__: {port: 1}}', 'server.__proto__: unknown option'],
    ['__proto__: {server: {}}', '__proto__: unknown option'],
    [agent(', limits: {idle_timeout: 1}'), 'upstreams.a2a[0].limits.idle_timeout: unknown option'],
  ])('an unknown option is a fault: %s', (yaml, fault) => {
    expect(onlyFault({ yaml })).toBe(fault);
  });
});

describe('options that this version cannot honour are refused by name', () => {
  it.each([
    ['store: {workspace_roots: [srv]}', 'store.workspace_roots[0]: must be an absolute path'],
    [
      agent(', auth: {type: oauth2, client_id: me, value: {env: T}}'),
      'upstreams.a2a[0].auth.token_url: is required when type is oauth2',
    ],
    [
      agent(', auth: {type: bearer, client_id: me, value: {env: T}}'),
      'upstreams.a2a[0].auth.client_id: is not for type bearer',
    ],
    [
      agent(', auth: {type: oauth2, client_id: me, token_url: "http://login.example.com/", value: {env: T}}'),
      'upstreams.a2a[0].auth.token_url: must be an https URL: the secret of the client',
    ],
  ])('%s', (yaml, fault) => {
    expect(onlyFault({ yaml, env: { T: 'token' } })).toContain(fault);
  });

  it.each([
    ['{id: c, provider: p}', 'connectors[0].auth: set one of auth and polling'],
    [
      '{id: c, provider: p, polling: {url: "ftp://x"}}',
      'connectors[0].polling.url: must be an http or https URL',
    ],
  ])('a connector is called or described: %s', (row, fault) => {
    expect(onlyFault({ yaml: `connectors: [${row}]` })).toContain(fault);
  });

  it('an empty list of them asks for nothing and passes', () => {
    expect(
      load({ yaml: 'auth: {oauth: []}\nupstreams: {acp: [], mcp: []}\nvaults: []\noutbound: {allow: []}' })
        .usesSampleAgent,
    ).toBe(true);
  });
});

describe('checks across options', () => {
  it.each(['/', '/srv', '/srv/gateway/data/', '/srv/gateway/data/workspaces', '/opt/../srv'])(
    'the data directory is no place for workspace roots, nor are they around it: %s',
    (root) => {
      const yaml = `store: {workspace_roots: [/srv/work, ${root}]}`;
      expect(onlyFault({ yaml })).toContain('store.workspace_roots[1]: must neither contain store.data nor');
      expect(load({ yaml, offline: true }).store.workspace_roots).toHaveLength(2);
    },
  );

  it('workspace roots beside the data directory pass, also with a name that starts like it', () => {
    const yaml = 'store: {workspace_roots: [/srv/gateway/data2, /srv/gateway/..data]}';
    expect(load({ yaml }).store.workspace_roots).toHaveLength(2);
  });

  it.each([
    ['workspace: nowhere', 'connectors[0].workspace: names no configured workspace'],
    ['route: a2a:none', 'connectors[0].route: names no configured route'],
    ['dedupe: {query: id}', 'connectors[0].dedupe: must be {header: NAME} or {path: name.of.member}'],
    [
      'auth: {type: hmac-sha256, secret: {env: ABSENT}}',
      'connectors[0].auth.secret: the environment variable',
    ],
    ['auth: {type: hmac-sha256, secret: hunter2}', 'connectors[0].auth.secret: must be {env: NAME}'],
  ])('a connector has its secret elsewhere, and names what exists: %s', (member, fault) => {
    const auth = member.startsWith('auth') ? '' : 'auth: {type: hmac-sha256, secret: {env: T}}, ';
    const yaml = `connectors: [{id: c, provider: shop, ${auth}${member}}]`;
    expect(onlyFault({ yaml, env: { T: 'token' } })).toContain(fault);
  });

  it('off loopback needs a configured key and a protected or excused connection', () => {
    expect(faultsOf({ flags: { host: '0.0.0.0' } }).map(({ path }) => path)).toEqual([
      'auth.api_keys',
      'server.tls',
    ]);
    const keys = `auth: {api_keys: [${key()}]}\n`;
    expect(onlyFault({ yaml: keys, flags: { host: '0.0.0.0' } })).toMatch(
      /^server\.tls: plain HTTP off loopback/,
    );
    expect(load({ yaml: `${keys}server: {host: "::", insecure: true}` }).server.host).toBe('::');
    expect(load({ yaml: `${keys}server: {host: 10.0.0.1, trusted_proxies: [10.0.0.2]}` }).server.host).toBe(
      '10.0.0.1',
    );
  });

  it.each(['127.0.0.1', '127.8.0.1', '::1', 'localhost'])(
    '%s is a loopback host and needs neither',
    (host) => {
      expect(load({ flags: { host } }).server.host).toBe(host);
    },
  );

  it('public_url is https unless it is loopback or the server is declared insecure', () => {
    expect(onlyFault({ yaml: 'server: {public_url: "http://gw.example.com"}' })).toMatch(
      /^server\.public_url: must be an https/,
    );
    expect(load({ yaml: 'server: {public_url: "http://localhost:9"}' }).server.public_url).toBe(
      'http://localhost:9',
    );
    expect(load({ yaml: 'server: {public_url: "http://gw", insecure: true}' }).server.public_url).toBe(
      'http://gw',
    );
  });

  it('both TLS files must be readable and fit each other', () => {
    const yaml = 'server: {tls: {cert: c.pem, key: k.pem}}';
    expect(faultsOf({ yaml }).map(({ path }) => path)).toEqual(['server.tls.cert', 'server.tls.key']);
    const files = { '/srv/gateway/c.pem': 'no PEM', '/srv/gateway/k.pem': 'no PEM' };
    expect(onlyFault({ yaml, files })).toMatch(/^server\.tls: cert and key are no usable pair/);
  });

  it('routing.default names a configured route', () => {
    expect(onlyFault({ yaml: 'routing: {default: "a2a:shop"}' })).toBe(
      'routing.default: names no configured route; configured: a2a:sample',
    );
    expect(load({ yaml: `${agent('')}\nrouting: {default: "a2a:shop"}` }).defaultRoute.route).toBe(
      'a2a:shop',
    );
    expect(onlyFault({ yaml: `${agent('')}\nrouting: {default: "a2a:sample"}` })).toMatch(
      /configured: a2a:shop$/,
    );
  });

  it.each([
    ['tenants: [{id: a}, {id: a}]', 'tenants[1].id: repeats the id of an earlier entry'],
    ['workspaces: [{id: a}, {id: a}]', 'workspaces[1].id: repeats the id of an earlier entry'],
    [
      'upstreams: {a2a: [{id: a, card: "https://a"}, {id: a, card: "https://b"}]}',
      'upstreams.a2a[1].id: repeats the id',
    ],
    ['workspaces: [{id: a, tenant: gone}]', 'workspaces[0].tenant: names no configured tenant'],
    [
      `auth: {api_keys: [${key(', workspaces: [gone]')}]}`,
      'auth.api_keys[0].workspaces[0]: names no configured workspace',
    ],
    [
      'limits: {headers_timeout_ms: 9, request_timeout_ms: 8}',
      'limits.headers_timeout_ms: must not be longer',
    ],
    [
      `tenants: [{id: a}]\nauth: {api_keys: [${key(', tenant: a')}]}`,
      'auth.api_keys[0].workspaces[0]: is a workspace of another tenant',
    ],
  ])('%s', (yaml, fault) => {
    expect(onlyFault({ yaml })).toContain(fault);
  });

  it('two keys share neither id nor hash', () => {
    const faults = faultsOf({ yaml: `auth: {api_keys: [${key()}, ${key()}]}` });
    expect(faults.map(({ path }) => path)).toEqual(['auth.api_keys[1].id', 'auth.api_keys[1].hash']);
  });
});

describe('reporting', () => {
  it('reports the faults of flags, environment, every section and the checks across them at once', () => {
    const yaml = [
      'server:',
      '  host: 0.0.0.0',
      'limits:',
      '  max_streams: none',
      'routing: {default: "a2a:x"}',
      'quota: 1',
    ];
    const faults = faultsOf({ yaml: yaml.join('\n'), env: { HARN_GATEWAY_PORT: 'x' }, flags: { data: '' } });
    expect(faults.map(({ path }) => path)).toEqual([
      'HARN_GATEWAY_PORT',
      '--data',
      'limits.max_streams',
      'quota',
      'auth.api_keys',
      'server.tls',
      'routing.default',
    ]);
  });

  it('gives file, line and column, of the nearest parent when the option is absent', () => {
    const yaml =
      'server:\n  port: -1\nupstreams:\n  a2a:\n    - id: one\n      card: https://one\n    - id: two\n';
    expect(faultsOf({ yaml })).toEqual([
      expect.objectContaining({
        path: 'server.port',
        file: '/opt/harn-gateway/config/gateway.yaml',
        line: 2,
        col: 3,
      }),
      expect.objectContaining({ path: 'upstreams.a2a[1].card', line: 7, col: 7 }),
    ]);
  });

  it('prints one line for each fault', () => {
    const { message } = refusal({ yaml: 'server:\n  port: -1\n' });
    expect(message).toBe(
      'The configuration has 1 fault:\n' +
        '  /opt/harn-gateway/config/gateway.yaml:2:3 server.port: must be a whole number from 0 to 65535',
    );
  });

  it('a log on JetStream names its servers, how many keep a commit, and where a node of several partitions is', () => {
    const store = (more: string) => ({ yaml: `store: {kind: jetstream${more}}` });
    expect(onlyFault(store(''))).toMatch(/^store\.servers: must name at least one server/);
    expect(onlyFault(store(', servers: ["localhost:4222"]'))).toMatch(
      /^store\.servers\[0\]: must be nats:\/\/HOST:PORT/,
    );
    const one = ', servers: ["nats://localhost:4222"]';
    expect(onlyFault(store(`${one}, replicas: 2`))).toMatch(/^store\.replicas: must be 1, 3 or 5/);
    const node = `${one}, advertise: "http://n:1"`;
    expect(onlyFault(store(`${one}, partitions: 2`))).toMatch(
      /^store\.advertise: must say where the other nodes/,
    );
    expect(onlyFault(store(`${node}, partitions: 65`))).toMatch(/^store\.partitions: must be 64 or less/);
    expect(onlyFault({ yaml: 'store: {partitions: 2}' })).toMatch(
      /^store\.partitions: must be 1 for kind leveldb/,
    );
    expect(onlyFault(store(`${node}, partitions: 2, serves: [0, 2]`))).toMatch(
      /^store\.serves\[1\]: must be less than/,
    );
    const placed = store(`${node}, partitions: 2, placement: {tenant_default: 2}`);
    expect(onlyFault(placed)).toMatch(
      /^store\.placement\.tenant_default: must be less than store\.partitions/,
    );
    expect(onlyFault(store(`${one}, advertise: "http://node-1:8080/x"`))).toMatch(
      /^store\.advertise: must be an origin/,
    );
    const grpc = `server: {grpc: {port: 0}}\nstore: {kind: jetstream${node}, partitions: 2}`;
    expect(onlyFault({ yaml: grpc })).toMatch(
      /^server\.grpc\.port: must be a fixed port with several partitions/,
    );
    expect(load({ yaml: grpc.replace('port: 0', 'port: 1') }).server.grpc?.port).toBe(1);
    expect(onlyFault({ yaml: 'store: {advertise: "http://node-1:8080"}' })).toMatch(
      /^store\.advertise: needs store\.kind: jetstream/,
    );
    expect(load(store(one)).store).toMatchObject({ name: 'gateway', replicas: 3, partitions: 1 });
  });
});
