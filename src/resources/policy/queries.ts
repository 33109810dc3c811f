import { ok } from '#core/answer.ts';
import type { Query } from '#core/query.ts';
import { explainPolicy as explained } from './explain-policy.ts';

export const explainPolicy: Query<'explainPolicy'> = async ({ query }, tools) =>
  ok(await explained(query, tools), tools.caller);
