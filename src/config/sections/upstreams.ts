import { z } from 'zod';
import { duration, operatorId, positive, webUrl } from '../shapes.ts';
import { acpUpstream } from './acp-upstream.ts';
import { mcpUpstream } from './mcp-upstream.ts';
import { headerInputs } from './session-inputs.ts';
import { upstreamAuth } from './upstream-auth.ts';

const a2aLimits = z
  .strictObject({
    connect_timeout_ms: duration.default(10_000).describe('Wait for the connection.'),
    first_frame_timeout_ms: duration.default(60_000).describe('Wait for the first frame of an answer.'),
    idle_timeout_ms: duration
      .default(120_000)
      .describe('Wait between two frames of a stream; bytes without a whole frame do not count.'),
    total_timeout_ms: duration.default(3_600_000).describe('Longest time one task may take.'),
    max_frame_bytes: positive
      .default(4_194_304)
      .describe('Largest single frame; the connection is closed at this size.'),
    max_response_bytes: positive
      .default(67_108_864)
      .describe('Largest whole answer or stream, after decompression.'),
    concurrency: positive.default(32).describe('Tasks that run on this agent at a time; more wait in order.'),
  })
  .prefault({});
export type A2aLimits = z.output<typeof a2aLimits>;

const KEY_TYPES = ['OKP', 'EC', 'RSA'] as const;

/** A key to verify with; one that can sign has no place in a configuration file. */
const publicJwk = z
  .record(z.string(), z.union([z.string(), z.boolean(), z.array(z.string())]), 'must be a JWK')
  .superRefine((key, context) => {
    const add = (name: string, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    if (!KEY_TYPES.some((type) => type === key['kty'])) add('kty', 'must be OKP, EC or RSA');
    if (typeof key['kid'] !== 'string' || key['kid'] === '')
      add('kid', 'is required: signatures name keys by it');
    if (Object.hasOwn(key, 'd')) add('d', 'is a private key; pin the public half only');
  });

const a2aUpstream = z.strictObject({
  id: operatorId.describe('Name of the agent; its route is a2a:<id>.').meta({ examples: ['shop'] }),
  card: z
    .string()
    .refine(
      (text) => webUrl(text) !== undefined,
      'must be an http or https URL without fragment or user info',
    )
    .describe('URL of its agent card.')
    .meta({ examples: ['https://agent.example.com/.well-known/agent-card.json'] }),
  auth: upstreamAuth.optional().describe('Credential sent to the agent. Unset: none.'),
  protocol: z
    .enum(['auto', '1.0', '0.3'], 'must be auto, "1.0" or "0.3", in quotes')
    .default('auto')
    .describe('A2A version to speak; auto takes the newest one its card offers.'),
  card_keys: z
    .array(publicJwk)
    .min(1, 'must hold a key; leave it out to trust the keys of the agent itself')
    .optional()
    .describe('Public keys (JWK) that may sign its card. Unset: keys that its own origin publishes over TLS.')
    .meta({ examples: [[{ kty: 'OKP', crv: 'Ed25519', x: 'BASE64URL', kid: 'key-1' }]] }),
  card_signature: z
    .enum(['optional', 'required'], 'must be optional or required')
    .default('optional')
    .describe('required: the agent is not used while its card has no good signature.'),
  push: z
    .boolean()
    .default(false)
    .describe(
      'Give the agent an address below server.public_url where it says that a task went on, if it offers push notifications and no streams. The task is asked for then, whatever it said.',
    ),
  inputs: headerInputs.optional().describe('Session inputs that this agent gets. Unset: none.'),
  limits: a2aLimits.describe('Timeouts and sizes for this agent.'),
});
export type A2aUpstream = z.output<typeof a2aUpstream>;

export const upstreams = z
  .strictObject({
    a2a: z
      .array(a2aUpstream)
      .optional()
      .describe(
        'A2A agents to front. Unset: the bundled sample agent, as a2a:sample. Set: only those listed.',
      ),
    acp: z.array(acpUpstream).default([]).describe('ACP agents to front, spawned or behind a WebSocket.'),
    mcp: z.array(mcpUpstream).default([]).describe('MCP servers to front; their tools are Skills.'),
  })
  .prefault({})
  .describe('Agents that do the work.');
