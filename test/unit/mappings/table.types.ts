// Compiled by `npm run types` (config/tsconfig.check.json), never run: each expected error must stay an error.
import { wordTable } from '../../../mappings/table.ts';

const make = wordTable<'YES' | 'NO', 'y' | 'n' | 'maybe'>();
const toForeign = { YES: 'y', NO: 'n' } as const;
const fromForeign = { y: 'YES', n: 'NO', maybe: { to: 'NO', loses: 'the doubt' } } as const;

export const whole = make({ toForeign, fromForeign });

// @ts-expect-error NO has no row.
export const missing = make({ toForeign: { YES: 'y' }, fromForeign });

// @ts-expect-error maybe has no row.
export const missingBack = make({ toForeign, fromForeign: { y: 'YES', n: 'NO' } });

// @ts-expect-error There is no word z.
export const wrong = make({ toForeign: { YES: 'y', NO: 'z' }, fromForeign });

// @ts-expect-error maybe does not come back and does not say what it loses.
export const silent = make({ toForeign, fromForeign: { y: 'YES', n: 'NO', maybe: 'NO' } });
