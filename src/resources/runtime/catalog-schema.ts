import { z } from 'zod';
import { jsonObject } from '#protocol/envelope.ts';

/** The form of Harn's provider catalog that is read and answered; rows are as their provider describes them. */
export const CATALOG_VERSION = 6;
export const CATALOG_SCHEMA = 'https://harnlang.com/schemas/provider-catalog.v6.json';

const rows = z.array(jsonObject);

/** Closed. Source: OpenAPI of agents-protocol-2026-10-11, ProviderCatalog. */
export const providerCatalog = z
  .strictObject({
    schema_version: z.literal(CATALOG_VERSION).meta({ type: 'integer' }),
    schema: z.literal(CATALOG_SCHEMA),
    generated_by: z.string(),
    providers: rows,
    models: rows,
    aliases: rows,
    variants: rows,
    families: rows,
    routing_routes: rows.optional(),
    qc_defaults: z.record(z.string(), z.string()),
  })
  .meta({ id: 'ProviderCatalog' });
export type ProviderCatalog = z.infer<typeof providerCatalog>;
