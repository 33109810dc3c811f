import { z } from 'zod';
import { envelope, jsonObject } from '#protocol/envelope.ts';
import { ERROR_CODES, ERROR_TYPES, type ErrorCode } from '#protocol/errors.ts';
import { PROTOCOL_FAMILY, SUPPORTED_VERSIONS } from '#protocol/versions.ts';

export const discovery = z
  .object({
    object: z.literal('protocol_discovery'),
    protocol_family: z.literal(PROTOCOL_FAMILY),
    current_version: z.enum(SUPPORTED_VERSIONS),
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

/** Spec: RFC 9728, section 2; the members about bound tokens: RFC 9449 and RFC 8705. */
export const protectedResource = z
  .object({
    resource: z.string(),
    resource_name: z.string(),
    bearer_methods_supported: z.array(z.string()),
    authorization_servers: z.array(z.string()).min(1).optional(),
    scopes_supported: z.array(z.string()).min(1).optional(),
    dpop_signing_alg_values_supported: z.array(z.string()).min(1).optional(),
    dpop_bound_access_tokens_required: z.boolean().optional(),
    tls_client_certificate_bound_access_tokens: z.boolean().optional(),
  })
  .meta({ id: 'ProtectedResource' });
export type ProtectedResource = z.infer<typeof protectedResource>;

export const runtimeVersion = z
  .object({ object: z.literal('version'), version: z.string(), protocol_version: z.string() })
  .meta({ id: 'RuntimeVersion' });

const a2aAgentInterface = z
  .object({
    url: z.string(),
    protocolBinding: z.string(),
    protocolVersion: z.string(),
    tenant: z.string().optional(),
  })
  .meta({ id: 'A2aAgentInterface' });

const a2aAgentSkill = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    tags: z.array(z.string()).min(1),
    examples: z.array(z.string()).optional(),
    inputModes: z.array(z.string()).optional(),
    outputModes: z.array(z.string()).optional(),
  })
  .meta({ id: 'A2aAgentSkill' });

const a2aCapabilities = z.object({
  streaming: z.boolean(),
  pushNotifications: z.boolean(),
  extendedAgentCard: z.boolean().optional(),
  extensions: z.array(jsonObject).optional(),
});

/** A detached JWS. Spec: A2A 1.0, 8.4. */
const a2aCardSignature = z
  .object({ protected: z.string(), signature: z.string(), header: jsonObject.optional() })
  .meta({ id: 'A2aAgentCardSignature' });

/** Members that readers of A2A 1.0 or 0.3 need; one card satisfies both; see src/cards/README.md. */
export const a2aAgentCard = z
  .looseObject({
    name: z.string(),
    description: z.string(),
    version: z.string(),
    supportedInterfaces: z.array(a2aAgentInterface).min(1),
    protocolVersion: z.string(),
    url: z.string(),
    preferredTransport: z.string(),
    additionalInterfaces: z.array(z.object({ url: z.string(), transport: z.string() })),
    capabilities: a2aCapabilities,
    securitySchemes: jsonObject,
    securityRequirements: z.array(jsonObject),
    security: z.array(jsonObject),
    defaultInputModes: z.array(z.string()),
    defaultOutputModes: z.array(z.string()),
    skills: z.array(a2aAgentSkill),
    provider: z.object({ organization: z.string(), url: z.string() }).optional(),
    documentationUrl: z.string().optional(),
    iconUrl: z.string().optional(),
    signatures: z.array(a2aCardSignature).optional(),
  })
  .meta({ id: 'A2aAgentCard' });
export type A2aAgentCard = z.infer<typeof a2aAgentCard>;

/** Whose members an A2A card has: those of 1.0 alone, or those of 0.3 too. */
export type CardForm = 'superset' | '1.0';

const cardSignature = z
  .object({ algorithm: z.string(), key_id: z.string(), value: z.string() })
  .meta({ id: 'CardSignature' });

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
export type Skill = z.infer<typeof skill>;

/** The union of the fields that current and older clients read; see src/cards/README.md. */
export const harnAgentCard = envelope('harn_agent_card', {
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
  signature: cardSignature.nullable(),
})
  .extend({ object: z.enum(['harn_agent_card', 'agent_card']) })
  .meta({ id: 'HarnAgentCard' });
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
