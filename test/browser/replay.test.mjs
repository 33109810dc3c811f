/** A run that is made again, as it was and with another answer in the place of a recorded one. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { CALM, open, openStage, WAIT } from './stage.mjs';

const stage = await openStage();

test('a run made again is byte for byte the same, and with an override its first difference is in words', async (t) => {
  const task = await stage.submit('stream 2');
  await stage.until(task.id, 'COMPLETED');
  const { page, seen } = await stage.signedIn(t);
  await open(page, `/replay/${task.id}`);
  const again = page.getByRole('button', { name: 'Run it again' });
  await again.click();
  const verdict = page.getByRole('status', { name: 'Verdict' });
  await verdict.getByText('byte equal').waitFor(WAIT);
  const sides = page.getByRole('table', { name: 'Both runs' });
  assert.equal(await sides.locator('.differs').count(), 0);
  const frame = page
    .getByRole('combobox', { name: /Recorded answer to replace/ })
    .or(page.getByLabel('Recorded answer to replace'))
    .first();
  await frame.click();
  await page.getByRole('option').nth(1).click();
  const value = page.locator('textarea').first();
  await value.waitFor(WAIT);
  const text = await value.inputValue();
  const changed = text.replace(/chunk 1 of 2|Streaming 2 chunks/, 'another answer');
  await value.fill(changed === text ? text.replace(/"([^"]*)"\s*$/m, '"another answer"') : changed);
  await again.click();
  await verdict.getByText('diverged', { exact: true }).waitFor(WAIT);
  assert.match(await verdict.textContent(), /Event \d+, .*is ".*another answer.*" and was "/);
  assert.equal(await sides.locator('tr.differs').count(), 1);
  await page.screenshot({ path: join(stage.shots, 'replay-override.png'), fullPage: true });
  assert.deepEqual(seen, CALM);
});
