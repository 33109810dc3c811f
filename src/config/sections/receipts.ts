import { z } from 'zod';

export const receipts = z
  .strictObject({
    issuer: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe(
        'Id under which receipts are issued; null: one of this data directory. Gateways with the same issuer make the same replay receipts.',
      )
      .meta({ examples: ['harness_shop'] }),
    name: z
      .string()
      .min(1)
      .max(200)
      .nullable()
      .default(null)
      .describe('Name of the issuer in receipts; null: none.')
      .meta({ examples: ['The shop'] }),
  })
  .prefault({})
  .describe('What the receipts of this gateway say of their issuer.');
