import { readFileSync } from 'node:fs';

/** Both write each request that they hear into a file, a line for each: its method and its `_meta.traceparent`. */
const HEARING = `
const fs = require('node:fs');
const [file, mode] = process.argv.slice(1);
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const hear = ({ method, params }) => fs.appendFileSync(file, JSON.stringify([method, params?._meta?.traceparent ?? null]) + '\\n');
const lines = (run) => require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined || message.method === undefined) return;
  hear(message);
  run(message);
}).on('close', () => process.exit(0));
`;

const ACP = `${HEARING}
const RESULTS = {
  initialize: { protocolVersion: 1, agentCapabilities: {} },
  'session/new': { sessionId: 's1' },
  'session/prompt': { stopReason: 'end_turn' },
};
lines(({ id, method }) => {
  const content = { type: 'text', text: 'heard' };
  const update = { sessionUpdate: 'agent_message_chunk', content };
  if (method === 'session/prompt') send({ method: 'session/update', params: { sessionId: 's1', update } });
  send({ id, result: RESULTS[method] ?? {} });
});
`;

const MCP = `${HEARING}
const info = { name: 'hearing', version: '1' };
const type = mode === 'stateless' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
const RESULTS = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: info },
  'tools/list': { ...type, tools: [{ name: 'hear', description: 'Hears.', inputSchema: { type: 'object' } }] },
  'tools/call': { ...type, content: [{ type: 'text', text: 'heard' }] },
};
const discovered = { ...type, supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, _meta: { 'io.modelcontextprotocol/serverInfo': info } };
lines(({ id, method, params }) => {
  if (method === 'server/discover' && mode === 'stateless') return send({ id, result: discovered });
  if (method === 'tools/call' && params.arguments.fail) return send({ id, error: { code: -32042, message: 'no' } });
  const result = RESULTS[method];
  send(result === undefined ? { id, error: { code: -32601, message: 'Method not found' } } : { id, result });
});
`;

export const hearingAcpAgent = (file: string): string[] => [process.execPath, '-e', ACP, file];
export const hearingMcpServer = (file: string, mode: 'sessions' | 'stateless'): string[] => [
  process.execPath,
  '-e',
  MCP,
  file,
  mode,
];

/** What one of them heard, oldest first. */
export function heardBy(file: string): [method: string, traceparent: string | null][] {
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as [string, string | null]);
}
