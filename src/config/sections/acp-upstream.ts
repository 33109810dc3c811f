import { z } from 'zod';
import { duration, filePath, operatorId, positive } from '../shapes.ts';
import { childCommand, childEnvironment, programOrAddress } from './child-process.ts';
import { agentInputs } from './session-inputs.ts';
import { upstreamAuth } from './upstream-auth.ts';

const acpLimits = z
  .strictObject({
    start_timeout_ms: duration.default(60_000).describe('Wait for the agent to start and shake hands.'),
    session_timeout_ms: duration.default(60_000).describe('Wait for it to open or load a session.'),
    idle_timeout_ms: duration
      .default(600_000)
      .describe(
        'Wait between two signs of life of a turn; a turn that waits for a person has no limit here.',
      ),
    total_timeout_ms: duration.default(3_600_000).describe('Longest time one turn may take.'),
    cancel_grace_ms: duration
      .default(10_000)
      .describe('Wait for the answer to a cancelled prompt before the next one gives up on it.'),
    idle_stop_ms: duration.default(600_000).describe('An agent that nobody uses for so long is stopped.'),
    max_frame_bytes: positive
      .default(16_777_216)
      .describe('Largest single message; the agent is ended at this size.'),
    max_turn_bytes: positive.default(67_108_864).describe('Largest sum of the messages of one turn.'),
    concurrency: positive
      .default(8)
      .describe('Turns that run on this agent at a time; more wait in order. All share one process.'),
  })
  .prefault({});

/** One ACP agent: a program on standard streams, or a WebSocket. */
export const acpUpstream = z
  .strictObject({
    id: operatorId.describe('Name of the agent; its route is acp:<id>.').meta({ examples: ['coder'] }),
    command: childCommand
      .describe('Program and arguments of an agent on standard streams; no shell reads them.')
      .meta({ examples: [['npx', '-y', '@agentclientprotocol/claude-agent-acp']] }),
    url: z
      .string()
      .refine(
        (text) => socketUrl(text) !== undefined,
        'must be a ws or wss URL without fragment or user info',
      )
      .optional()
      .describe('WebSocket of a remote agent, in place of command.')
      .meta({ examples: ['wss://agent.example.com/acp'] }),
    auth: upstreamAuth.optional().describe('Credential sent to a remote agent. Unset: none.'),
    env: childEnvironment,
    inputs: agentInputs
      .optional()
      .describe('Session inputs that this agent gets; env needs a command. Unset: none.'),
    cwd: filePath
      .optional()
      .describe('Directory the agent runs and works in. Unset: that of the gateway.')
      .meta({ examples: ['/srv/project'] }),
    client_cwd: z
      .boolean()
      .default(false)
      .describe(
        'Work in the directories that the ACP client of a Session names: for an agent on the machine of its users.',
      ),
    client_roots: z
      .array(filePath)
      .default([])
      .describe('Only in those under one of these. Empty: anywhere, for gateways of one person only.'),
    client_files: z
      .boolean()
      .default(true)
      .describe(
        'Offer the agent the files and terminals of an editor that offers them, for tasks of its own user; such sessions have a process of their own.',
      ),
    limits: acpLimits.describe('Timeouts and sizes for this agent.'),
  })
  .superRefine(programOrAddress('env'))
  .superRefine(({ command, inputs }, context) => {
    if (command !== undefined || Object.keys(inputs?.env ?? {}).length === 0) return;
    const message = 'an address has no environment; use inputs.names, or a command';
    context.addIssue({ code: 'custom', path: ['inputs', 'env'], message });
  });
export type AcpUpstream = z.output<typeof acpUpstream>;

/** The URL when the text is one of ws or wss without user info or fragment; else undefined. */
export function socketUrl(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const isSocket = url.protocol === 'wss:' || url.protocol === 'ws:';
  return isSocket && url.username === '' && url.password === '' && url.hash === '' ? url : undefined;
}
