import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { IssuerKeys } from '#auth/oauth/issuer-keys.ts';
import { TokenAuthenticator } from '#auth/oauth/token-authenticator.ts';
import { auth } from '#config/sections/auth.ts';
import { decideAccess } from '#policy/access.ts';
import { type ActionQuestion, decideAction } from '#policy/action.ts';
import { policySettings } from '#policy/settings.ts';
import type { JsonValue } from '#protocol/json.ts';
import type { WorkspaceState } from '#resources/workspace/state.ts';
import { amount, type Bench } from './bench.ts';
import { against } from './machine.ts';
import { median } from './statistics.ts';

const TARGET_US = 60;
const ROUNDS = 5;
const ISSUER = 'https://issuer.test';
const AUDIENCE = 'https://gateway.test';

export const policy: Bench = {
  id: 'P12',
  title: 'policy and authentication of a request',
  async run({ effort, progress }) {
    const count = amount(effort, { quick: 20_000, normal: 100_000 });
    const { authenticator, authorization } = await cachedToken();
    const us = cpuUsPer(count, () => {
      if (authenticator.recognize({ authorization }) !== undefined) throw new Error('The token is not kept.');
      const known = authenticator.authenticate({ authorization });
      if (known.kind !== 'caller') throw new Error('The token of the bench is refused.');
      const access = {
        caller: known.caller,
        scope: 'tasks:write',
        target: { workspace: WORKSPACE },
      } as const;
      if (decideAccess(access).effect !== 'allow') throw new Error('The call of the bench is refused.');
      if (decideAction(QUESTION).effect !== 'allow') throw new Error('The action of the bench is kept back.');
    });
    progress(`${us.toFixed(1)} us`);
    return [
      {
        id: 'P12',
        what: 'cached token, scope, membership, persona and tier of a request: CPU',
        measured: `${us.toFixed(1)} us`,
        baseline: '',
        ratio: undefined,
        target: `<= ${TARGET_US} us`,
        ...against(us, { most: TARGET_US }, 'sha256'),
        figures: { cpuUs: us },
      },
    ];
  },
};

/** An access token that was verified once, and whose verdict is kept. */
async function cachedToken() {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256' }] };
  const clock = { now: () => Date.now(), monotonic: () => performance.now() };
  const [row] = auth.parse({
    oauth: [{ issuer: ISSUER, audience: AUDIENCE, jwks_uri: `${ISSUER}/jwks`, claims: { tenant: 'tenant' } }],
  }).oauth;
  if (row === undefined) throw new Error('The bench configures an issuer.');
  const silent = () => undefined;
  const logger = { trace: silent, debug: silent, info: silent, warn: silent, error: silent, fatal: silent };
  const fetchJson = () => Promise.resolve(jwks as unknown as JsonValue);
  const keys = new IssuerKeys(row, {
    clock,
    logger: logger as never,
    fetchJson,
    fetchForeignJson: fetchJson,
  });
  const authenticator = new TokenAuthenticator({
    clock,
    logger: logger as never,
    issuers: new Map([[ISSUER, { row, keys }]]),
    tenants: new Set(['tenant_default']),
  });
  const token = await new SignJWT({ scope: 'tasks:write tasks:read', tenant: 'tenant_default' })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'at+jwt' })
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setSubject('robot')
    .setIssuedAt()
    .setExpirationTime('30m')
    .sign(privateKey);
  const authorization = `Bearer ${token}`;
  await authenticator.recognize({ authorization });
  return { authenticator, authorization };
}

const WORKSPACE = {
  resource: { id: 'workspace_default' },
  internal: { tenant: 'tenant_default', members: ['robot'] },
} as unknown as WorkspaceState;

/** A tool call of a persona that lists everything it may. */
const QUESTION: ActionQuestion = {
  policy: policySettings({ default_tier: 'act_auto', tiers: {}, undeclared: 'call' }),
  action: { route: 'mcp:files', skillId: 'files__write_file', sideEffect: 'write' },
  tier: 'act_auto',
  persona: {
    tools: ['shop__*', 'files__*'],
    capabilities: ['agent:a2a', 'tool:read', 'tool:write'],
    handoffs: ['a2a:shop'],
    entry_workflow: 'mcp:files',
  },
  session: { skillIds: ['files__read_file', 'files__write_file'] },
  workspace: { id: 'workspace_default', capabilities: ['tool:*'] },
  isApproved: false,
};

/** Median of the rounds; the first one warms up. */
function cpuUsPer(count: number, run: () => void): number {
  const round = () => {
    const before = process.cpuUsage();
    for (let at = 0; at < count; at += 1) run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / count;
  };
  round();
  return median(Array.from({ length: ROUNDS }, round));
}
