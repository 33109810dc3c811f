/**
 * A gateway process with its sample agent, and Chromium before it, for one file of tests. Screenshots go to SCREENSHOTS, else to
 * a folder of the system's temporary directory that is named at the end.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import chromium from '@sparticuz/chromium';
import { chromium as playwright } from 'playwright-core';

export const MAIN = join(import.meta.dirname, '../../dist/bundle/main.js');
export const WAIT = { timeout: 20_000 };
const VERSION = 'agents-protocol-2026-04-25';
/** The key of a gateway that is configured with some; one that is not makes its own. */
const OPERATOR = 'harn_operator_of_the_browser_tests';

const hashOf = (key) => `sha256:${createHash('sha256').update(key).digest('hex')}`;

/** A row of `auth.api_keys`. */
export const keyRow = (id, key, scopes = ['*']) => ({
  id,
  hash: hashOf(key),
  actor: id,
  scopes,
  workspaces: ['workspace_default'],
});

/** What a text of a message is for the API. */
export const said = (text) => ({ role: 'user', parts: [{ type: 'text', text, visibility: 'public' }] });

/** Opens the page at a fragment. */
export const open = (page, path) =>
  page.evaluate((to) => {
    window.location.hash = to;
  }, path);

/** Waits until what is asked for is so, or throws what it was last. */
export async function eventually(look, isThere, timeoutMs = WAIT.timeout) {
  const until = Date.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (isThere(seen)) return seen;
    if (Date.now() > until) throw new Error(`it stayed ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** What a page should never do, as it happens: each list stays empty. */
export function watch(page, origins) {
  const seen = { faults: [], dialogs: [], violations: [], outside: [] };
  page.on('pageerror', (error) => seen.faults.push(error.message));
  page.on('dialog', (dialog) => {
    seen.dialogs.push(dialog.message());
    dialog.dismiss().catch(() => undefined);
  });
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) seen.violations.push(message.text());
  });
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (!['data:', 'blob:'].includes(protocol) && !origins.includes(origin)) seen.outside.push(request.url());
  });
  return seen;
}

export const CALM = { faults: [], dialogs: [], violations: [], outside: [] };

/** `config` is that of the gateway; with `auth` in it, an operator's key is added. */
export async function openStage(config = {}) {
  const data = mkdtempSync(join(tmpdir(), 'harn-console-'));
  const shots = process.env.SCREENSHOTS ?? join(tmpdir(), 'harn-console-screenshots');
  mkdirSync(shots, { recursive: true });
  const flags = [];
  if (Object.keys(config).length > 0) {
    const { auth } = config;
    const keys = auth && {
      auth: { ...auth, api_keys: [keyRow('operator', OPERATOR), ...(auth.api_keys ?? [])] },
    };
    writeFileSync(join(data, 'gateway.yaml'), JSON.stringify({ ...config, ...keys }));
    flags.push('--config', join(data, 'gateway.yaml'));
  }

  /** A gateway process over the same data. */
  async function serve(port) {
    const args = [MAIN, 'serve', '--data', data, '--port', String(port), '--unlisted', ...flags];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    const [line] = await Promise.race([
      once(createInterface({ input: child.stdout }), 'line'),
      once(child, 'exit').then(() => {
        throw new Error(`the gateway did not start: ${said}`);
      }),
    ]);
    return { child, url: JSON.parse(line).url, said: () => said };
  }

  async function stop(signal = 'SIGTERM') {
    const { child } = stage.gateway;
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit');
  }

  async function call(method, path, body, as = stage.key) {
    const response = await fetch(stage.url + path, {
      method,
      headers: {
        authorization: `Bearer ${as}`,
        'harn-agents-protocol-version': VERSION,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  async function submit(text, metadata) {
    const session = await call('POST', '/v1/sessions', { workspace_id: 'workspace_default' });
    const body = { input: said(text), ...(metadata === undefined ? {} : { metadata }) };
    return call('POST', `/v1/sessions/${session.id}/tasks`, body);
  }

  const until = (id, ...states) =>
    eventually(
      () => call('GET', `/v1/tasks/${id}`),
      ({ status }) => states.includes(status),
    );

  /** All events of a session, oldest first. */
  async function eventsOf(session) {
    const found = [];
    let cursor = '';
    do {
      const page = await call('GET', `/v1/sessions/${session}/events?limit=200${cursor}`);
      found.push(...page.data);
      cursor = page.next_cursor === null ? undefined : `&cursor=${encodeURIComponent(page.next_cursor)}`;
    } while (cursor !== undefined);
    return found;
  }

  /** A page of its own browser profile, before the sign-in. */
  async function newPage(t, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    t.after(() => context.close());
    const page = await context.newPage();
    return { context, page, seen: watch(page, [stage.url]) };
  }

  async function enter(page, as = stage.key) {
    await page.goto(`${stage.url}/console/`);
    await page.locator('input[type=password]').fill(as);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor(WAIT);
  }

  /** A page that is signed in with a key; `faults` are the errors that its scripts threw. */
  async function signedIn(t, as = stage.key, options = {}) {
    const opened = await newPage(t, options);
    await enter(opened.page, as);
    return { ...opened, faults: opened.seen.faults };
  }

  const stage = { data, shots, call, submit, until, eventsOf, newPage, enter, signedIn, stop };
  /** Starts it again, at the port that it had. */
  stage.start = async () => {
    stage.gateway = await serve(Number(new URL(stage.url).port));
  };
  stage.gateway = await serve(0);
  stage.url = stage.gateway.url;
  stage.key = config.auth ? OPERATOR : readFileSync(join(data, 'dev-api-key'), 'utf8').trim();
  const browser = await playwright.launch({
    // A single process ends with its first context.
    args: chromium.args.filter((flag) => flag !== '--single-process'),
    executablePath: await chromium.executablePath(),
    headless: true,
  });
  stage.browser = browser;
  after(async () => {
    await browser.close();
    await stop();
    rmSync(data, { recursive: true, force: true });
    console.log(`screenshots: ${shots}`);
  });
  return stage;
}
