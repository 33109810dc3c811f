import { ok } from '../answer.ts';
import { explainPolicy as explained } from '../explain-policy.ts';
import type { Query } from '../query.ts';

export const explainPolicy: Query<'explainPolicy'> = async ({ query }, tools) =>
  ok(await explained(query, tools), tools.caller);
