import { posix } from 'node:path';
import { productCode, type SourceTree } from './source-tree.ts';

/** Documents that a reader of the repository does not have: a contract, design notes, issues, by section or number. */
const ELSEWHERE = [
  /\b[Cc]ontracts?,? (?:sections?\b|C?\d)/,
  /\bC\d{1,2}\b/,
  /\b(?:contract|design|quality|style)\.md\b/,
  /\b[Ss]ource: (?:the )?(?:design|contract|quality|notes|issue)\b/,
  /\bdesign section\b/,
  /\bnotes\/[a-z0-9]+\.md\b/,
  /\b[Nn]otes on [a-z]+, \d/,
  /\b[Ii]ssue (?:no\. ?)?[\d"]/,
];

/** `README.md`, beside the file or by its path from the root, and after a comma the heading that is meant. */
const PAGE = /(?<path>[\w./-]*)README\.md(?:, (?<heading>[A-Z][^.;):*]*))?/g;

/** Comments that cite a document outside of the repository, or a page or a heading that there is not. */
export function citationFindings(tree: SourceTree): string[] {
  return productCode(tree).flatMap(([path, source]) =>
    source
      .split('\n')
      .flatMap((line, index) =>
        /^\s*(?:\*|\/\*|\/\/)|\/\/ /.test(line)
          ? problemsOf(tree, path, line).map((problem) => `${path}:${index + 1}: ${problem}`)
          : [],
      ),
  );
}

function problemsOf(tree: SourceTree, path: string, line: string): string[] {
  const outside = ELSEWHERE.map((words) => words.exec(line)).find((found) => found !== null);
  const cited = [...line.matchAll(PAGE)].flatMap(({ groups = {} }) =>
    missing(tree, posix.dirname(path), groups),
  );
  return outside ? [`cites ${outside[0]}, which is not in the repository`, ...cited] : cited;
}

function missing(
  tree: SourceTree,
  folder: string,
  { path = '', heading }: { path?: string; heading?: string },
): string[] {
  const page = posix.join(/^(src|bridges|mappings|config|fixtures|test)\//.test(path) ? '' : folder, path);
  const text = tree.get(posix.join(page, 'README.md'));
  if (text === undefined) return [`${path}README.md is not there`];
  const wanted = heading?.trim();
  if (wanted === undefined || text.split('\n').some((row) => row === `## ${wanted}`)) return [];
  return [`${path}README.md has no heading "${wanted}"`];
}
