const COMMON = {
  name: 'Scripted agent',
  description: 'Answers what the test says.',
  version: '1.0.0',
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'any', name: 'Any', description: 'Whatever is scripted.', tags: ['test'] }],
} as const;

const v03Members = (origin: string) => ({
  protocolVersion: '0.3.0',
  url: `${origin}/rpc`,
  preferredTransport: 'JSONRPC',
});

const v1Members = (origin: string) => ({
  supportedInterfaces: [{ url: `${origin}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
});

/** Cards of every generation, all with JSON-RPC at /rpc and, in `rest`, HTTP+JSON at /rest. */
export const cards = {
  v1: (origin: string) => ({ ...COMMON, ...v1Members(origin) }),
  v03: (origin: string) => ({ ...COMMON, ...v03Members(origin) }),
  hybrid: (origin: string) => ({ ...COMMON, ...v1Members(origin), ...v03Members(origin) }),
  rest: (origin: string) => ({
    ...COMMON,
    supportedInterfaces: [{ url: `${origin}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' }],
  }),
  /** No streaming: the gateway must fall back to blocking calls and polling. */
  v1Blocking: (origin: string) => ({ ...COMMON, ...v1Members(origin), capabilities: { streaming: false } }),
  /** As `harn serve a2a` writes it: a 0.3.0 interface in a 1.0 list, no url at the top. */
  harnServe: (origin: string) => ({
    ...COMMON,
    supportedInterfaces: [{ url: `${origin}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '0.3.0' }],
    security: [],
  }),
} as const;
