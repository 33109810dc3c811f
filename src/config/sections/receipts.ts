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
    acceptance: z
      .boolean()
      .default(false)
      .describe(
        'Whether a task without a persona has a receipt of its acceptance besides the one of its end. Where there is a persona its receipt_policy decides.',
      ),
  })
  .prefault({})
  .describe('Who issues the receipts of this gateway, and what is proved.');
