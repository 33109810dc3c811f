import { fromLog } from '#protocol/clean.ts';
import type { DecisionTools } from './facts.ts';

/**
 * Stands for the redactor where what is read was read before: a recorded frame, and one in which nothing was found. What the
 * tables of a bridge make of it has no secret either.
 */
export const readBefore: DecisionTools['redact'] = (value) => ({ value: fromLog(value), hit: false });
