import { z } from 'zod';
import { SCOPES } from '#protocol/scopes.ts';
import { isLoopbackHost, operatorId, positive, webUrl } from '../shapes.ts';
import { DEFAULT_TENANT, DEFAULT_WORKSPACE } from './tenancy.ts';

const apiKey = z.strictObject({
  id: operatorId.describe('Name of the key in logs and listings.').meta({ examples: ['ci'] }),
  hash: z
    .string()
    .regex(
      /^sha256:[0-9a-f]{64}$/,
      'must be "sha256:" and the 64 lower-case hex digits of the SHA-256 of the whole key',
    )
    .describe('"sha256:" and the hex SHA-256 of the whole key; the key itself is never written down here.')
    .meta({ examples: [`sha256:${'0'.repeat(64)}`] }),
  actor: z
    .string()
    .min(1)
    .max(200)
    .describe('Who calls with this key; recorded with every event.')
    .meta({ examples: ['ci-bot'] }),
  tenant: operatorId.default(DEFAULT_TENANT).describe('Tenant of the actor.'),
  scopes: z
    .array(z.enum(SCOPES))
    .min(1, 'must grant at least one scope')
    .default(['*'])
    .describe('What the key may do; * is everything, operator included.'),
  workspaces: z
    .array(operatorId)
    .min(1, 'must name at least one workspace')
    .default([DEFAULT_WORKSPACE])
    .describe('Workspaces of the key; the first one is its default.'),
});

/** Asymmetric only: whoever can verify with a shared secret can also sign. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

const ISSUER_URL = 'must be an https URL, or an http URL of a loopback address, without query or fragment';
const issuerUrl = z.string().refine((text) => {
  const url = webUrl(text);
  if (url === undefined || url.search !== '') return false;
  return url.protocol === 'https:' || isLoopbackHost(url.hostname);
}, ISSUER_URL);

const claimName = z.string().min(1).max(200);

const oauthIssuer = z.strictObject({
  issuer: issuerUrl
    .describe('Exact value of the claim iss. Its keys are found by its metadata document.')
    .meta({ examples: ['https://login.example.com/'] }),
  audience: z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)], 'must name an audience, or a list of them')
    .describe('The claim aud must name this, or one of these.')
    .meta({ examples: ['https://gateway.example.com'] })
    .transform((names) => (typeof names === 'string' ? [names] : names)),
  jwks_uri: issuerUrl
    .optional()
    .describe('Where the keys are, when the metadata document is not to be asked.')
    .meta({ examples: ['https://login.example.com/keys'] }),
  algorithms: z
    .array(z.enum(ALGORITHMS))
    .min(1, 'must allow at least one algorithm')
    .default(['RS256', 'PS256', 'ES256', 'EdDSA'])
    .describe('Signature algorithms that are accepted.'),
  typ: z
    .string()
    .min(1)
    .default('at+jwt')
    .describe('Type the header of a token must declare; JWT for issuers that know no access token type.'),
  claims: z
    .strictObject({
      actor: claimName.default('sub').describe('Claim that names the actor.'),
      tenant: claimName
        .optional()
        .describe('Claim that names the tenant; without it the tenant below holds.')
        .meta({ examples: ['tenant'] }),
      workspaces: claimName
        .optional()
        .describe('Claim that lists workspace ids; without it the workspaces below hold.')
        .meta({ examples: ['workspaces'] }),
    })
    .prefault({})
    .describe('Which claims say who calls.'),
  tenant: operatorId.default(DEFAULT_TENANT).describe('Tenant of all callers of this issuer.'),
  workspaces: z
    .array(operatorId)
    .default([DEFAULT_WORKSPACE])
    .describe('Workspaces of all callers of this issuer; the first one is their default.'),
  scopes: z
    .array(z.enum(SCOPES))
    .min(1, 'must allow at least one scope')
    .default(['*'])
    .describe(
      'The most that a token of this issuer is granted, whatever it says; * covers neither operator nor metrics:read.',
    ),
  max_lifetime: positive
    .default(86_400)
    .describe('Longest time from iat to exp in seconds; longer tokens are refused.'),
});

export const auth = z
  .strictObject({
    api_keys: z
      .array(apiKey)
      .default([])
      .describe(
        'Keys that callers may use. Neither keys nor issuers, on loopback: one development key is made at the first start.',
      ),
    oauth: z
      .array(oauthIssuer)
      .default([])
      .describe('Issuers of OAuth2 access tokens. Scopes are read from the claim scope or scp.'),
  })
  .prefault({})
  .describe('Who may call.');
