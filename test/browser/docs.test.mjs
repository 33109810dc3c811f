/** The page of the API, in a browser that reaches the gateway and nothing else. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { CALM, openStage } from './stage.mjs';

/** The viewer draws all operations at once, which takes the longer the less of the machine it has. */
const DRAWN = { timeout: 60_000 };
const stage = await openStage();
const openapi = await (await fetch(`${stage.url}/openapi.json`)).json();
const operations = Object.values(openapi.paths).flatMap((path) =>
  Object.values(path).filter(({ operationId }) => operationId !== undefined),
);

async function docs(t, at = '') {
  const opened = await stage.newPage(t);
  await opened.page.goto(`${stage.url}/docs${at}`);
  await opened.page.locator('.opblock-tag').first().waitFor(DRAWN);
  return opened;
}

test('the page has every group of operations, and asks nobody but the gateway', async (t) => {
  const { page, seen } = await docs(t);
  assert.equal(new URL(page.url()).pathname, '/docs/');
  const tags = new Set(operations.flatMap((operation) => operation.tags));
  const shown = await page
    .locator('.opblock-tag')
    .evaluateAll((all) => all.map(({ dataset }) => dataset.tag));
  assert.ok(operations.length > 50, `${operations.length}`);
  assert.deepEqual([...shown].sort(), [...tags].sort());
  await page.screenshot({ path: join(stage.shots, 'docs.png') });
  for (const name of ['openapi.json', 'asyncapi.json']) {
    const link = new URL(
      await page.getByRole('link', { name, exact: true }).getAttribute('href'),
      page.url(),
    );
    assert.equal(link.href, `${stage.url}/${name}`);
    const answer = await fetch(link);
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type'), /json/);
  }
  assert.deepEqual(seen, CALM);
});

test('an operation is tried with the key of the reader, and its answer is shown', async (t) => {
  const { operationId, tags } = openapi.paths['/v1/caller'].get;
  const { page, seen } = await docs(t, `/#/${encodeURIComponent(tags[0])}/${operationId}`);
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  const dialog = page.locator('.dialog-ux');
  await dialog.locator('input').first().fill(stage.key);
  await dialog
    .getByRole('button', { name: /^Apply|^Authorize/ })
    .first()
    .click();
  await dialog.getByRole('button', { name: 'Close' }).first().click();
  await page.getByRole('button', { name: 'Execute' }).click();
  const answer = page.locator('.live-responses-table');
  await answer.locator('.response-col_status').filter({ hasText: '200' }).first().waitFor(DRAWN);
  assert.match(await answer.textContent(), /"object": "caller"/);
  assert.deepEqual(seen, CALM);
});

test('the document of another version is shown when it is chosen', async (t) => {
  const { page, seen } = await docs(t);
  const versions = await page.locator('#version option').allTextContents();
  const chosen = await page.locator('#version').inputValue();
  const next = versions.find((version) => version !== chosen);
  const read = page.waitForRequest(
    (request) =>
      request.url().endsWith('/openapi.json') && request.headers()['harn-agents-protocol-version'] === next,
  );
  await page.locator('#version').selectOption(next);
  await read;
  await page.locator('.opblock-tag').first().waitFor(DRAWN);
  assert.equal(await page.locator('#version').inputValue(), next);
  assert.deepEqual(seen, CALM);
});
