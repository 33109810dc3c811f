import { z } from 'zod';
import { duration, filePath, operatorId, positive, webUrl } from '../shapes.ts';
import { childCommand, childEnvironment, programOrAddress } from './child-process.ts';
import { toolInputs } from './session-inputs.ts';
import { upstreamAuth } from './upstream-auth.ts';

const mcpLimits = z
  .strictObject({
    connect_timeout_ms: duration.default(20_000).describe('Wait for the server to start and shake hands.'),
    restart_wait_ms: z
      .union([z.literal(0), duration], 'must be 0, or 1 to 2147483647 (24.8 days)')
      .default(10_000)
      .describe('Longest wait of a call for a server that is started again; 0 refuses at once.'),
    idle_timeout_ms: duration.default(120_000).describe('Wait between two signs of life of a call.'),
    total_timeout_ms: duration.default(3_600_000).describe('Longest time one call may take.'),
    max_message_bytes: positive
      .default(16_777_216)
      .describe('Largest single message of a stdio server; it is ended at this size.'),
    max_connections: positive
      .default(16)
      .describe(
        'Connections of an interactive server or a mount, where one caller is asked on half of them. An unused one is closed for a new one.',
      ),
    concurrency: positive
      .default(32)
      .describe('Calls that run on this server at a time; more wait in order.'),
  })
  .prefault({});
export type McpLimits = z.output<typeof mcpLimits>;

const toolName = z.string().regex(/^[!-~]{1,128}$/, 'must be the name of a tool');

const toolRules = z
  .strictObject({
    allow: z
      .array(toolName)
      .optional()
      .describe('Only these tools are Skills. Unset: all.')
      .meta({ examples: [['read_file', 'list_directory']] }),
    deny: z.array(toolName).default([]).describe('These tools are no Skills.'),
    approve: z.array(toolName).default([]).describe("Calls of these wait for a person's permission."),
  })
  .prefault({});

/** One MCP server: a program on standard streams, or an endpoint. */
export const mcpUpstream = z
  .strictObject({
    id: operatorId
      .refine((id) => !id.includes('__'), 'must not contain "__": it separates server and tool')
      .describe('Name of the server; its route is mcp:<id>, its Skills are <id>__<tool>.')
      .meta({ examples: ['files'] }),
    command: childCommand
      .describe('Program and arguments of a stdio server; no shell reads them.')
      .meta({ examples: [['npx', '-y', '@modelcontextprotocol/server-filesystem', '/srv/files']] }),
    url: z
      .string()
      .refine(
        (text) => webUrl(text) !== undefined,
        'must be an http or https URL without fragment or user info',
      )
      .optional()
      .describe('Streamable HTTP endpoint, in place of command.')
      .meta({ examples: ['https://tools.example.com/mcp'] }),
    protocol: z
      .enum(['auto', '2025-11-25', '2026-07-28'], 'must be auto, "2025-11-25" or "2026-07-28"')
      .default('auto')
      .describe(
        'MCP revision to speak: with sessions (2025-11-25 and older) or without; auto asks the server first.',
      ),
    env: childEnvironment,
    cwd: filePath
      .optional()
      .describe('Working directory of the program. Unset: that of the gateway.')
      .meta({ examples: ['/srv'] }),
    auth: upstreamAuth.optional().describe('Credential sent to an endpoint. Unset: none.'),
    inputs: toolInputs
      .optional()
      .describe('Session inputs that this server gets; headers need an endpoint. Unset: none.'),
    tools: toolRules.describe('Which tools are Skills, and which calls wait for a permission.'),
    trust: z
      .boolean()
      .default(true)
      .describe(
        "False: the server's own word on what its tools do is not believed; all count as destructive.",
      ),
    interactive: z
      .boolean()
      .optional()
      .describe(
        'True: the server may ask the caller, and gets a connection for each actor and Session. False: it may not ask. Unset: it may, and gets such connections once it has asked.',
      )
      .meta({ examples: [true] }),
    sampling: z
      .boolean()
      .default(false)
      .describe(
        'A server with interactive: true may also ask the caller for what a model would write (sampling).',
      ),
    roots: z
      .array(filePath)
      .optional()
      .describe('Directories that a server with interactive: true gets as roots. Unset: none.')
      .meta({ examples: [['/srv/files']] }),
    mount: z
      .boolean()
      .default(false)
      .describe(
        'Serve the server as it is at /mcp/<id>: its own names, no Tasks, no record of what is called.',
      ),
    tool_errors: z
      .enum(['fail', 'complete'])
      .default('fail')
      .describe('Whether a result that says it is an error makes the Task FAILED or COMPLETED.'),
    changed_tools: z
      .enum(['report', 'hold'])
      .default('report')
      .describe(
        'hold: calls of a tool whose definition changed wait for a permission, which accepts the change.',
      ),
    limits: mcpLimits.describe('Timeouts and sizes for this server.'),
  })
  .superRefine(programOrAddress('env', 'cwd'))
  .superRefine(({ command, inputs }, context) => {
    if (command === undefined || Object.keys(inputs?.headers ?? {}).length === 0) return;
    const message = 'a program has no headers; use inputs.arguments, or an endpoint';
    context.addIssue({ code: 'custom', path: ['inputs', 'headers'], message });
  });
export type McpUpstream = z.output<typeof mcpUpstream>;
