import { z } from 'zod';
import { ERROR_CODES, ERROR_TYPES, type ErrorCode } from '../errors.ts';
import { CURRENT_VERSION, PROTOCOL_FAMILY } from '../version.ts';
import { envelope, jsonObject } from './envelope.ts';

export const discovery = z
  .object({
    object: z.literal('protocol_discovery'),
    protocol_family: z.literal(PROTOCOL_FAMILY),
    current_version: z.literal(CURRENT_VERSION),
    supported_versions: z.array(z.string()),
    capabilities: z.object({
      rest: z.boolean(),
      sse: z.boolean(),
      websocket: z.boolean(),
      receipts: z.boolean(),
      replay: z.boolean(),
    }),
  })
  .meta({ id: 'Discovery' });

export const health = z
  .object({ ok: z.boolean(), status: z.string(), version: z.string() })
  .meta({ id: 'Health' });

export const readiness = z
  .object({ ok: z.boolean(), status: z.string(), reason: z.string().nullable(), details: jsonObject })
  .meta({ id: 'Readiness' });

export const runtimeVersion = z
  .object({ object: z.literal('version'), version: z.string(), protocol_version: z.string() })
  .meta({ id: 'RuntimeVersion' });

export const a2aAgentCard = jsonObject.meta({ id: 'A2aAgentCard' });

const harnInterface = z
  .object({ transport: z.enum(['rest', 'sse', 'websocket', 'a2a', 'mcp', 'acp']), url: z.string() })
  .meta({ id: 'HarnAgentInterface' });

export const skill = envelope('skill', {
  name: z.string(),
  description: z.string(),
  input_schema: jsonObject.nullable(),
  output_schema: jsonObject.nullable(),
  source: z.string().nullable(),
  version: z.string().nullable(),
  capabilities: z.array(z.string()),
  requires_approval: z.boolean(),
  deprecated: z.boolean(),
}).meta({ id: 'Skill' });

/** The union of the fields that current and older clients read (contract C1). */
export const harnAgentCard = envelope('harn_agent_card', {
  object: z.enum(['harn_agent_card', 'agent_card']),
  name: z.string(),
  description: z.string(),
  protocol_version: z.string(),
  a2a_card: a2aAgentCard,
  a2a_agent_card: a2aAgentCard,
  skills: z.array(skill),
  interfaces: z.array(harnInterface),
  harn_interfaces: z.array(harnInterface),
  persona_ids: z.array(z.string()),
  capabilities: z.array(z.string()),
  auth_schemes: z.array(z.string()),
  receipt_policy: z.string().nullable(),
  provider: jsonObject,
  public_url: z.string().nullable(),
  signature: jsonObject.nullable(),
}).meta({ id: 'HarnAgentCard' });
export type HarnAgentCard = z.infer<typeof harnAgentCard>;

export const errorResponse = z
  .object({
    error: z
      .object({
        code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
        message: z.string(),
        type: z.enum(ERROR_TYPES),
        param: z.string().nullable(),
        request_id: z.string().nullable(),
        details: jsonObject,
      })
      .meta({ id: 'Error' }),
  })
  .meta({ id: 'ErrorResponse' });
