import { z } from 'zod';
import type { JsonObject, JsonValue } from './json.ts';

/** More tokens than any run uses; a larger count is a fault of the agent. */
const MAX_TOKENS = 1e12;
/** More money than any run costs, in any currency. */
const MAX_AMOUNT = 1e9;
/** Decimal places that an amount keeps; sums and differences of binary fractions have more. */
const PLACES = 9;

const tokens = z.int().min(0).max(MAX_TOKENS);
const amount = z.number().min(0).max(MAX_AMOUNT);
/** The form of an ISO 4217 code. `credits` and the like are no money. */
const currency = z.string().regex(/^[A-Z]{3}$/);
const name = z.string().min(1).max(200);

/** What an agent says that it used; every member that it does not name is left out. */
const usageFigures = z.object({
  input_tokens: tokens.optional(),
  output_tokens: tokens.optional(),
  cost: z.object({ amount, currency }).optional(),
  model: z.object({ provider: name, name }).optional(),
});
export type UsageFigures = z.infer<typeof usageFigures>;
export type Cost = NonNullable<UsageFigures['cost']>;

/** What the counters of an agent, which does not say so, count: the turn that they come with, or its whole session. */
export const COUNTED = ['turn', 'session'] as const;
export type Counted = (typeof COUNTED)[number];

/**
 * `more` is added to what was reported before, `total` is all of the Task so far and replaces it. `counted`: what tokens were taken as
 * counting, by how they grew from turn to turn; left out where that is known otherwise.
 */
export const reportedUsage = usageFigures.extend({
  counts: z.enum(['more', 'total']),
  counted: z.enum(COUNTED).optional(),
});
export type ReportedUsage = z.infer<typeof reportedUsage>;

/** What an agent says that a run used, in all. */
export interface UsageTotals {
  input_tokens?: number;
  output_tokens?: number;
  /** One amount for each currency, in the order of their codes. */
  costs: Cost[];
  /** The newest it named. */
  model?: { provider: string; name: string };
  /** What its tokens were taken as counting, where that was found out by their growth. */
  counted?: Counted;
}

const WORDS = {
  input_tokens: tokens,
  output_tokens: tokens,
  amount,
  currency,
  /** An amount of US dollars. */
  usd: amount,
  model: name,
  provider: name,
};

/** A word of another protocol, as the path of a member or of an item of a list; `to: null` is known and not counted. */
export interface UsageRow {
  readonly at: readonly string[];
  readonly to: keyof typeof WORDS | null;
  readonly loses?: string;
}

/** Of a model without one. */
const UNKNOWN_PROVIDER = 'unknown';

/** The figures that an agent reports; a value that cannot be one (negative, endless, no currency) is refused by its path. */
export function readUsage(
  rows: readonly UsageRow[],
  said: JsonObject,
): { figures: UsageFigures; refused: string[] } {
  const found: JsonObject = {};
  const refused: string[] = [];
  for (const { at, to } of rows) {
    const value = to === null ? undefined : memberAt(said, at);
    if (to === null || value === undefined || value === null) continue;
    if (WORDS[to].safeParse(value).success) found[to] = value;
    else refused.push(at.join('.'));
  }
  return { figures: figuresOf(found), refused };
}

function memberAt(value: JsonValue, [first, ...rest]: readonly string[]): JsonValue | undefined {
  if (first === undefined) return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const member: JsonValue | undefined = Object.entries(value).find(([name]) => name === first)?.[1];
  return member === undefined ? undefined : memberAt(member, rest);
}

function figuresOf({ input_tokens, output_tokens, amount, currency, usd, model, provider }: JsonObject) {
  const money = amount !== undefined && currency !== undefined ? { amount, currency } : undefined;
  const cost = money ?? (usd === undefined ? undefined : { amount: usd, currency: 'USD' });
  return {
    ...(input_tokens === undefined ? {} : { input_tokens }),
    ...(output_tokens === undefined ? {} : { output_tokens }),
    ...(cost === undefined ? {} : { cost }),
    ...(model === undefined ? {} : { model: { provider: provider ?? UNKNOWN_PROVIDER, name: model } }),
  } as UsageFigures;
}

/**
 * What was used between two readings of a counter that only grows. A reading below the one before is that of a counter which
 * began again, and counts whole; amounts of another currency do too.
 */
export function usedSince(before: UsageFigures, now: UsageFigures): UsageFigures {
  const since = (was = 0, is = 0) => (is < was ? is : is - was);
  const { input_tokens, output_tokens, cost, model } = now;
  const was = before.cost?.currency === cost?.currency ? before.cost?.amount : 0;
  return {
    ...(input_tokens === undefined ? {} : { input_tokens: since(before.input_tokens, input_tokens) }),
    ...(output_tokens === undefined ? {} : { output_tokens: since(before.output_tokens, output_tokens) }),
    ...(cost === undefined ? {} : { cost: { ...cost, amount: decimal(since(was, cost.amount)) } }),
    ...(model === undefined ? {} : { model }),
  };
}

/** A sum of amounts without the noise of binary fractions. */
export function decimal(value: number): number {
  return Number(value.toFixed(PLACES));
}
