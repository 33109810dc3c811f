import { isWithin, type SourceTree } from './source-tree.ts';

/** What a fixture may be: text or bytes that a test reads, nothing that runs. */
const DATA_FILE = /\.(json|ndjson|jsonl|txt|md|pem|yaml|bin|cbor|sse)$/;
const SHIPPED = ['src', 'bridges', 'mappings', 'fixtures', 'config'];

/** Files in fixtures that are not data, or are not what their ending says. */
export function fixtureFindings(tree: SourceTree): string[] {
  const fixtures = [...tree].filter(([path]) => isWithin(path, 'fixtures'));
  return fixtures.flatMap(([path, source]) => {
    if (!DATA_FILE.test(path)) return [`${path}: fixtures hold data only`];
    if (path.endsWith('.json') && !isJson(source)) return [`${path}: is not JSON`];
    const lines = path.endsWith('.ndjson') ? source.trimEnd().split('\n') : [];
    return lines.flatMap((line, index) =>
      isJson(line) ? [] : [`${path}:${index + 1}: is not a line of JSON`],
    );
  });
}

/** Folders of fixtures of which fixtures/README.md does not say where they come from. */
export function unexplainedFixtures(tree: SourceTree): string[] {
  const page = tree.get('fixtures/README.md') ?? '';
  const files = [...tree.keys()].filter((path) => isWithin(path, 'fixtures') && !path.endsWith('.md'));
  const folders = files.map((path) => /^fixtures\/((wire\/)?[^/]+)/.exec(path)?.[1] ?? '');
  return [...new Set(folders)].filter((folder) => !new RegExp(`\\b${folder}\\b(?!-)`).test(page));
}

/** Places in what ships that name the folder beside the project, which is not there for its users. */
export function outsideFindings(tree: SourceTree): string[] {
  const shipped = [...tree].filter(([path]) => SHIPPED.some((folder) => isWithin(path, folder)));
  return shipped.flatMap(([path, source]) =>
    source
      .split('\n')
      .flatMap((line, index) =>
        line.includes('../shared') ? [`${path}:${index + 1}: names ../shared`] : [],
      ),
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
