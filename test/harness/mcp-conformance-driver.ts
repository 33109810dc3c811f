import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { startTestGateway } from './gateway.ts';

/**
 * The client that the conformance suite of MCP tests: a gateway of its own in front of the suite's server, all of whose
 * tools are called through `/mcp`. `node dist/test/harness/mcp-conformance-driver.js <url of the suite's server>`
 */
const url = process.argv.at(-1) ?? '';
const gateway = await startTestGateway({
  config: { upstreams: { a2a: [], mcp: [{ id: 'suite', url, interactive: true }] } },
});
// What the form proposes is what an answer without content means.
const client = new Client(
  { name: 'conformance-driver', version: '1' },
  { capabilities: { elicitation: { form: { applyDefaults: true } } } },
);
client.setRequestHandler(ElicitRequestSchema, async () => ({ action: 'accept', content: {} }));
const transport = new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), {
  requestInit: { headers: { authorization: `Bearer ${gateway.client.key}` } },
});
await client.connect(transport as unknown as Transport);

/** A server is described once its tools are listed, be there any or none. */
for (let tries = 0; tries < 1_000; tries += 1) {
  const { data } = await gateway.client.get<{ data: { name: string | null }[] }>('/v1/agents');
  if (data.some(({ name }) => name !== null)) break;
  await new Promise((resolve) => setTimeout(resolve, 25));
}
const { tools } = await client.listTools();
for (const { name, inputSchema } of tools.filter(({ name }) => name.startsWith('suite__'))) {
  const wanted = wantedCalls().filter((call) => `suite__${call.name}` === name);
  for (const input of wanted.length > 0 ? wanted.map((call) => call.arguments) : [fitting(inputSchema)])
    await client.callTool({ name, arguments: given(input) });
}
await client.close();
await gateway.close();

/** The calls that the scenario wants, where it wants certain ones. */
function wantedCalls(): { name: string; arguments: Record<string, unknown> }[] {
  const { toolCalls = [] } = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as {
    toolCalls?: ReturnType<typeof wantedCalls>;
  };
  return toolCalls;
}

/** What a scenario calls null may be left out as well; the gateway refuses a null that does not fit. */
function given(input: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
}

/** Arguments that a tool takes: one of its type for each member. */
function fitting({ properties = {} }: { properties?: object | undefined }): Record<string, unknown> {
  const samples: Record<string, unknown> = {
    string: 'text',
    number: 5,
    integer: 3,
    boolean: true,
    object: {},
    array: [],
    null: null,
  };
  const typed = Object.entries(properties as Record<string, { type?: string }>);
  return Object.fromEntries(typed.map(([name, { type = 'string' }]) => [name, samples[type]]));
}
