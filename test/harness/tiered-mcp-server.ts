import type { ToolSideEffect } from '#protocol/autonomy.ts';
import { HINTS_OF } from '../../mappings/mcp/side-effects.ts';

/** The program of a server whose tools are named after their side-effect class; each call is a line of the file it is given. */
const PROGRAM = `
const { appendFileSync } = require('node:fs');
const [, file, listed] = process.argv;
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') send({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tiered', version: '1' } } });
  if (method === 'tools/list') send({ id, result: { tools: JSON.parse(listed) } });
  if (method !== 'tools/call') return;
  appendFileSync(file, JSON.stringify(params) + '\\n');
  send({ id, result: { content: [{ type: 'text', text: params.name + ' was called' }] } });
}).on('close', () => process.exit(0));
`;

const schema = { inputSchema: { type: 'object', properties: { text: { type: 'string' } } } };

/** One tool per class, and `silent`, which says nothing of itself. */
const TOOLS = [
  ...(Object.keys(HINTS_OF) as ToolSideEffect[]).map((name) => ({
    name,
    description: `Does what a tool of class ${name} does.`,
    annotations: HINTS_OF[name],
    ...schema,
  })),
  { name: 'silent', description: 'Says nothing.', ...schema },
];

/** Program and arguments; the calls of all its processes are in `file`, one JSON object of `tools/call` a line. */
export function tieredMcpServer(file: string): string[] {
  return [process.execPath, '-e', PROGRAM, file, JSON.stringify(TOOLS)];
}
