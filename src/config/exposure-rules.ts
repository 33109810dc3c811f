import { isAbsolute, relative, sep } from 'node:path';
import { createSecureContext } from 'node:tls';
import { ConfigError, type PathFault } from './fault.ts';
import { rule } from './rules.ts';
import { readProblem, readSecret, type SecretRef, type SecretSources } from './secret.ts';
import { socketUrl } from './sections/acp-upstream.ts';
import { isLoopbackHost, webUrl } from './shapes.ts';

/** What must hold before the gateway may be reached, or may send a credential. See src/config/README.md, Reach. */
export const EXPOSURE_RULES = [
  rule(
    ['server', 'auth'],
    ({ server, auth }) => {
      if (isLoopbackHost(server.host) || auth.api_keys.length + auth.oauth.length > 0) return [];
      const message =
        'must hold a key when server.host is not a loopback address and auth.oauth has no issuer';
      return [{ path: ['auth', 'api_keys'], message }];
    },
    ['server.host', 'auth.api_keys', 'auth.oauth'],
  ),

  rule(
    ['server'],
    ({ server }) => {
      const isProtected = server.tls !== undefined || server.trusted_proxies.length > 0 || server.insecure;
      if (isLoopbackHost(server.host) || isProtected) return [];
      const message =
        'plain HTTP off loopback is refused; set server.tls, server.trusted_proxies or server.insecure: true';
      return [{ path: ['server', 'tls'], message }];
    },
    ['server.host', 'server.tls', 'server.trusted_proxies', 'server.insecure'],
  ),

  rule(
    ['server', 'auth'],
    ({ server, auth }) => {
      const { grpc } = server;
      if (grpc === undefined || isLoopbackHost(grpc.host ?? server.host)) return [];
      const keyless = auth.api_keys.length + auth.oauth.length === 0;
      const path = ['server', 'grpc', 'host'];
      return [
        ...(keyless
          ? [{ path, message: 'needs a key in auth.api_keys, or an issuer in auth.oauth, off loopback' }]
          : []),
        ...(server.tls === undefined && !server.insecure
          ? [{ path, message: 'plain gRPC off loopback is refused; set server.tls or server.insecure: true' }]
          : []),
      ];
    },
    ['server.host', 'server.tls', 'server.insecure', 'auth.api_keys', 'auth.oauth'],
  ),

  rule(['store'], ({ store: { kind, advertise } }) => {
    if (kind === 'jetstream' || advertise === undefined) return [];
    const message = 'needs store.kind: jetstream; nobody else reads a log that is in this directory';
    return [{ path: ['store', 'advertise'], message }];
  }),

  rule(['server'], ({ server: { grpc, tls } }, { readFile }) => {
    const file = grpc?.tls?.client_ca;
    const path = ['server', 'grpc', 'tls'];
    if (grpc?.tls !== undefined && tls === undefined)
      return [{ path, message: 'needs server.tls, whose certificate serves gRPC too' }];
    if (file === undefined) return [];
    try {
      createSecureContext({ ca: readFile(file) });
      return [];
    } catch (error) {
      const message = `the file ${file} ${isSystemError(error) ? readProblem(error) : 'is no PEM file'}`;
      return [{ path: [...path, 'client_ca'], message }];
    }
  }),

  rule(['server'], ({ server: { grpc, port: own } }) =>
    grpc === undefined || grpc.port === 0 || grpc.port !== own
      ? []
      : [
          {
            path: ['server', 'grpc', 'port'],
            message: 'must not be server.port: gRPC has a port of its own',
          },
        ],
  ),

  rule(['server'], ({ server }, sources) => (server.tls === undefined ? [] : tlsFaults(server.tls, sources))),

  rule(
    ['server'],
    ({ server }) => {
      const url = webUrl(server.public_url ?? '');
      if (url === undefined || url.protocol === 'https:' || isLoopbackHost(url.hostname) || server.insecure)
        return [];
      return [
        {
          path: ['server', 'public_url'],
          message: 'must be an https URL, unless it is loopback or server.insecure is true',
        },
      ];
    },
    ['server.insecure'],
  ),

  rule(
    ['server', 'upstreams'],
    ({ server, upstreams }) =>
      (upstreams.a2a ?? []).flatMap(({ card, auth }, index) => {
        const url = webUrl(card);
        const isClear = url?.protocol === 'http:' && !isLoopbackHost(url.hostname);
        if (!isClear || auth === undefined || server.insecure) return [];
        const message = 'must be an https URL when auth is set: the credential would travel in the clear';
        return [{ path: ['upstreams', 'a2a', index, 'card'], message }];
      }),
    ['server.insecure'],
  ),

  rule(
    ['server', 'upstreams'],
    ({ server, upstreams }) =>
      upstreams.mcp.flatMap(({ url: text = '', auth }, index) => {
        const url = webUrl(text);
        const isClear = url?.protocol === 'http:' && !isLoopbackHost(url.hostname);
        if (!isClear || auth === undefined || server.insecure) return [];
        const message = 'must be an https URL when auth is set: the credential would travel in the clear';
        return [{ path: ['upstreams', 'mcp', index, 'url'], message }];
      }),
    ['server.insecure'],
  ),

  rule(
    ['server', 'upstreams'],
    ({ server, upstreams: { a2a = [], acp, mcp } }) =>
      [...placed('a2a', a2a), ...placed('acp', acp), ...placed('mcp', mcp)].flatMap(({ auth, row }) => {
        const url = webUrl(auth?.token_url ?? '');
        const isClear = url?.protocol === 'http:' && !isLoopbackHost(url.hostname);
        if (!isClear || server.insecure) return [];
        const message = 'must be an https URL: the secret of the client would travel in the clear';
        return [{ path: [...row, 'auth', 'token_url'], message }];
      }),
    ['server.insecure'],
  ),

  rule(
    ['store'],
    ({ store: { data, workspace_roots } }) =>
      workspace_roots.flatMap((root, index) => {
        if (!covers(root, data) && !covers(data, root)) return [];
        const message = 'must neither contain store.data nor lie inside it: keys and log are there';
        return [{ path: ['store', 'workspace_roots', index], message }];
      }),
    ['store.data'],
  ),

  rule(['upstreams'], ({ upstreams }, sources) =>
    (upstreams.a2a ?? []).flatMap(({ auth }, index) => {
      if (auth === undefined) return [];
      const path = ['upstreams', 'a2a', index, 'auth', 'value'];
      return readable(path, auth.value, sources);
    }),
  ),

  rule(
    ['server', 'upstreams'],
    ({ server, upstreams }) =>
      upstreams.acp.flatMap(({ url: text = '', auth }, index) => {
        const url = socketUrl(text);
        const isClear = url?.protocol === 'ws:' && !isLoopbackHost(url.hostname);
        if (!isClear || auth === undefined || server.insecure) return [];
        const message = 'must be a wss URL when auth is set: the credential would travel in the clear';
        return [{ path: ['upstreams', 'acp', index, 'url'], message }];
      }),
    ['server.insecure'],
  ),

  rule(['upstreams'], ({ upstreams: { acp, mcp } }, sources) =>
    [...placed('acp', acp), ...placed('mcp', mcp)].flatMap(({ auth, env, row }) => {
      const secrets = Object.entries(env).flatMap(([name, value]) =>
        typeof value === 'string' ? [] : readable([...row, 'env', name], value, sources),
      );
      if (auth === undefined) return secrets;
      return [...secrets, ...readable([...row, 'auth', 'value'], auth.value, sources)];
    }),
  ),

  rule(['connectors'], ({ connectors }, sources) =>
    connectors.flatMap(({ auth }, index) => {
      const path = ['connectors', index, 'auth', 'secret'];
      return auth === undefined ? [] : readable(path, auth.secret, sources);
    }),
  ),

  rule(['policy'], ({ policy }, sources) =>
    policy.approvals.flatMap(({ webhooks }, row) =>
      webhooks.flatMap(({ secret }, index) => {
        const path = ['policy', 'approvals', row, 'webhooks', index, 'secret'];
        return readable(path, secret, sources);
      }),
    ),
  ),
] as const;

type Placed<Row> = Row & { row: PathFault['path'] };

/** The rows of a list with their places in the file. */
function placed<Row extends object>(kind: string, rows: readonly Row[]): Placed<Row>[] {
  return rows.map((given, index) => ({ ...given, row: ['upstreams', kind, index] }));
}

/** By name only: what links lead to is refused when a file is asked for. */
function covers(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return !isAbsolute(way) && way.split(sep)[0] !== '..';
}

/** A secret of a vault is judged once the vaults are known. */
function readable(path: PathFault['path'], ref: SecretRef, sources: SecretSources): PathFault[] {
  if ('vault' in ref && sources.vaults === undefined) return [];
  try {
    readSecret(ref, sources);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults.map(({ message }) => ({ path, message }));
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}

function tlsFaults(tls: { cert: string; key: string }, { readFile }: SecretSources): PathFault[] {
  const texts: Partial<Record<'cert' | 'key', string>> = {};
  const faults: PathFault[] = [];
  for (const name of ['cert', 'key'] as const) {
    try {
      texts[name] = readFile(tls[name]);
    } catch (error) {
      faults.push({ path: ['server', 'tls', name], message: `the file ${tls[name]} ${readProblem(error)}` });
    }
  }
  return faults.length > 0 ? faults : pairFaults(texts);
}

/** OpenSSL's own reason names no key material, but its code is enough for the operator. */
function pairFaults(pair: { cert?: string; key?: string }): PathFault[] {
  try {
    createSecureContext(pair);
    return [];
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'not PEM';
    return [{ path: ['server', 'tls'], message: `cert and key are no usable pair (${code})` }];
  }
}
