import { readFileSync, writeFileSync } from 'node:fs';
import { PACKAGE_ROOT } from './child-processes.ts';
import { RESULTS_FILE, readResults, summaryTable } from './results.ts';

export const RESULTS_PAGE = `${PACKAGE_ROOT}test/faults/README.md`;

const TABLE = /(?<=<!-- made by: npm run torture -- --table -->\n)[\s\S]*?(?=\n<!-- end -->)/;

/** The summary as the page has it; undefined where it has none. */
export function summaryOnPage(page: string): string | undefined {
  return TABLE.exec(page)?.[0].trim();
}

/** Writes the summary of the file of results into the page. */
export function writeSummary(): void {
  const page = readFileSync(RESULTS_PAGE, 'utf8');
  if (!TABLE.test(page)) throw new Error(`${RESULTS_PAGE} has no place for the table.`);
  writeFileSync(RESULTS_PAGE, page.replace(TABLE, `\n${summaryTable(readResults(RESULTS_FILE))}\n`));
}
