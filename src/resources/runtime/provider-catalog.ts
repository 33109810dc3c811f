import type { Facts, OfferedModels, SelfFacts } from '#core/facts.ts';
import { ok, type Query } from '#core/query.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject } from '#protocol/json.ts';
import { CATALOG_SCHEMA, CATALOG_VERSION, type ProviderCatalog } from './catalog-schema.ts';

/** Harn's provider for tests; known to every catalog. */
const MOCK_PROVIDER = 'mock';

export const getProviderCatalog: Query<'getProviderCatalog'> = (_input, { self, caller }) =>
  ok(catalogOf(self), caller);

/** What the configuration says, and after it the models that agents offer: each agent is the provider of its own. */
export function catalogOf(self: Pick<SelfFacts, 'catalog' | 'offeredModels'>): ProviderCatalog {
  const { providers, models, ...configured } = self.catalog ?? EMPTY;
  // A configured row says more than what the agent of the same name offers.
  const configuredIds = new Set(providers.map(({ id }) => lower(id)));
  const configuredModels = new Set(models.map(modelKey));
  const offered = self.offeredModels();
  return {
    ...configured,
    schema_version: CATALOG_VERSION,
    schema: CATALOG_SCHEMA,
    generated_by: 'harn-gateway',
    providers: [...providers, ...offered.map(providerRow).filter(({ id }) => !configuredIds.has(lower(id)))],
    models: [...models, ...offered.flatMap(modelRows).filter((row) => !configuredModels.has(modelKey(row)))],
  };
}

const EMPTY = {
  providers: [],
  models: [],
  aliases: [],
  variants: [],
  families: [],
  qc_defaults: {},
} as const satisfies Partial<ProviderCatalog>;

/** Providers are named whatever the case. */
function lower(id: unknown): unknown {
  return typeof id === 'string' ? id.toLowerCase() : id;
}

function modelKey({ provider, id }: JsonObject): string {
  return JSON.stringify([lower(provider), id]);
}

function providerRow({ route, name, protocol }: OfferedModels): JsonObject {
  return { id: route, display_name: name, protocols: [protocol] };
}

function modelRows({ route, models }: OfferedModels): JsonObject[] {
  return models.map(({ id, name, description }) => ({
    id,
    name,
    provider: route,
    ...(description === undefined ? {} : { description }),
  }));
}

/** Throws 400 for a provider that the configured catalog does not list; without one every provider may be wished for. */
export function refuseUnknownProvider(
  { self }: Pick<Facts, 'self'>,
  wish: { provider: string } | null | undefined,
): void {
  const configured = self.catalog?.providers ?? [];
  if (wish === null || wish === undefined || configured.length === 0) return;
  const known = [...configured.map(({ id }) => id), ...self.offeredModels().map(({ route }) => route)];
  const isKnown = known.some((id) => typeof id === 'string' && id.toLowerCase() === wish.provider);
  if (isKnown || wish.provider === MOCK_PROVIDER) return;
  const message = 'model_policy.provider is not in the catalog. Take an id of GET /v1/provider-catalog.';
  throw new ProtocolError('invalid_request', message, { param: 'model_policy.provider' });
}
