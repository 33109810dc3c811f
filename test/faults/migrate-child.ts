/**
 * Migrates a data directory of the form made up for tests, in a process of its own that can be killed:
 *   migrate-child.js <data>
 * Prints a line for each commit and each act of the exchange, and `done` at the end.
 */
import { writeSync } from 'node:fs';
import { migrateData, systemClock, systemRandom } from '#compose/compose.ts';
import { FORMS_WITH_MADE_UP } from '../harness/made-up-form.ts';

const say = (line: string): void => {
  writeSync(1, `${line}\n`);
};

const [data = ''] = process.argv.slice(2);
for await (const step of migrateData({
  data,
  clock: systemClock,
  random: systemRandom,
  keepsDamaged: false,
  forms: FORMS_WITH_MADE_UP,
  between: say,
}))
  say(step.kind === 'progress' ? `${step.work} ${step.commits}` : step.kind);
say('done');
