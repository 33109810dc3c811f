import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findPackageRoot } from '#config/package-root.ts';

const root = findPackageRoot(import.meta.url);

/** What an inheritor looks for first. */
const AT_THE_ROOT = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];

/** Files of the project that a page of it links to, as paths below the root. */
function linksOf(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path = '']) => path);
  return links.map((path) => join(dirname(page), path));
}

/** What the browser tests install has pages of its own. */
const isOurs = (path: string) => basename(path) === 'README.md' && !path.includes('/node_modules/');

function everyReadme(): string[] {
  const found = ['src', 'bridges', 'mappings', 'fixtures', 'test', 'config'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
  );
  return [...AT_THE_ROOT, ...found.filter(isOurs)].sort();
}

describe('the pages of the README', () => {
  it('lead from one to the next, each link to a file, and leave out no page of a folder', () => {
    const pages = ['README.md'];
    for (const page of pages)
      for (const link of linksOf(page)) {
        expect(existsSync(join(root, link)), `${page}: ${link}`).toBe(true);
        if (link.endsWith('.md') && !pages.includes(link)) pages.push(link);
      }
    expect(pages.sort()).toEqual(everyReadme());
  });
});
