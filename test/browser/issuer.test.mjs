/** Signing in at an issuer by authorization code with PKCE, before an authorization server that redirects at once. */
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import { OAuth2Server } from 'oauth2-mock-server';
import { CALM, eventually, open, openStage, WAIT, watch } from './stage.mjs';

const CLIENT = 'harn-console';
const AUDIENCE = 'https://gateway.test';
const issuer = new OAuth2Server();
await issuer.issuer.keys.generate('RS256');
await issuer.start(0, '127.0.0.1');
after(() => issuer.stop());
const origin = issuer.issuer.url;

/** What the server was asked for, and how it answers; reset by each test. */
let asked;
let redirect;
let refuse;
issuer.service.on('beforeTokenSigning', ({ payload }) => {
  // The ID token is for the client, the access token for the gateway.
  if (payload.aud === CLIENT) return;
  // Two tokens of one second would be the same one without an id of their own.
  Object.assign(payload, { aud: AUDIENCE, sub: 'ada', scope: '*', jti: randomUUID() });
});
issuer.service.on('beforeAuthorizeRedirect', ({ url }, { query }) => {
  asked.push({ authorize: query });
  redirect?.(url);
});
issuer.service.on('beforeResponse', (answer, { body }) => {
  asked.push({ token: body });
  if (refuse?.(body)) Object.assign(answer, { statusCode: 400, body: { error: 'invalid_grant' } });
});

const stage = await openStage({
  auth: { oauth: [{ issuer: origin, audience: AUDIENCE, typ: 'JWT' }] },
  console: { client_id: CLIENT },
});

async function arrive(t) {
  [asked, redirect, refuse] = [[], undefined, undefined];
  const context = await stage.browser.newContext({ viewport: { width: 1280, height: 800 } });
  t.after(() => context.close());
  const page = await context.newPage();
  const seen = watch(page, [stage.url, origin]);
  await page.goto(`${stage.url}/console/`);
  return {
    context,
    page,
    seen,
    button: page.getByRole('button', { name: `Sign in at ${new URL(origin).host}` }),
  };
}

const overview = (page) => page.getByRole('heading', { name: 'Overview' }).waitFor(WAIT);
const of = (kind) => asked.flatMap((each) => (each[kind] === undefined ? [] : [each[kind]]));

test('the issuer signs in by a code that is bound to this page, and the token stays in memory', async (t) => {
  const { context, page, seen, button } = await arrive(t);
  await button.waitFor(WAIT);
  await page.screenshot({ path: `${stage.shots}/sign-in-issuer.png` });
  await button.click();
  await overview(page);
  const [authorize] = of('authorize');
  const [exchange] = of('token');
  assert.equal(authorize.client_id, CLIENT);
  assert.equal(authorize.redirect_uri, `${stage.url}/console/`);
  assert.equal(authorize.code_challenge_method, 'S256');
  assert.equal(
    createHash('sha256').update(exchange.code_verifier).digest('base64url'),
    authorize.code_challenge,
  );
  assert.ok(authorize.state.length >= 20);
  assert.equal(new URL(page.url()).search, '');
  const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]));
  assert.doesNotMatch(kept, /eyJ|verifier|refresh/);
  assert.deepEqual(await context.cookies(), []);
  assert.deepEqual(seen, CALM);
  // The page is the person's, by the name that the token has.
  await open(page, '/sessions');
  await page.getByRole('button', { name: 'New session' }).click();
  await page.getByLabel('Message').fill('hello');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('ada', { exact: true }).first().waitFor(WAIT);
});

test('an answer with the state of another sign-in is refused, and its code is never sent', async (t) => {
  const { page, button } = await arrive(t);
  redirect = (url) => url.searchParams.set('state', 'of-somebody-else');
  await button.click();
  await page.getByText('does not belong to this sign-in').waitFor(WAIT);
  assert.deepEqual(of('token'), []);
  assert.equal(new URL(page.url()).search, '');
  redirect = undefined;
  await button.click();
  await overview(page);
});

test('a link with the code of a stranger signs nobody in', async (t) => {
  const { page } = await arrive(t);
  await page.goto(`${stage.url}/console/?code=of-a-stranger&state=any`);
  await page.getByText('not begun in this tab').waitFor(WAIT);
  assert.deepEqual(asked, []);
  assert.equal(new URL(page.url()).search, '');
});

test('an answer that names another issuer is refused', async (t) => {
  const { page, button } = await arrive(t);
  redirect = (url) => url.searchParams.set('iss', 'https://evil.example');
  await button.click();
  await page.getByText('does not belong to this sign-in').waitFor(WAIT);
  assert.deepEqual(of('token'), []);
});

test('what the issuer refuses is said in its words', async (t) => {
  const { page, seen, button } = await arrive(t);
  redirect = (url) => {
    url.searchParams.delete('code');
    url.searchParams.set('error', 'access_denied');
    url.searchParams.set('error_description', '<img src=x onerror=alert(1)> not you');
  };
  await button.click();
  await page.getByText('refused (access_denied): <img src=x onerror=alert(1)> not you').waitFor(WAIT);
  assert.deepEqual(seen, CALM);
});

test('a token that ended is renewed once for all calls, unseen by the person', async (t) => {
  const { page, seen, button } = await arrive(t);
  await button.click();
  await overview(page);
  // The gateway gives clocks a minute, so the first token is refused in its place.
  let refused = 0;
  const ended = new Set();
  await page.route('**/v1/**', async (route) => {
    const authorization = route.request().headers()['authorization'];
    if (of('token').length === 1) ended.add(authorization);
    if (!ended.has(authorization)) return route.continue();
    refused += 1;
    const error = { code: 'unauthenticated', message: 'The token has expired.' };
    await route.fulfill({ status: 401, contentType: 'application/json', body: JSON.stringify({ error }) });
  });
  for (const path of ['/sessions', '/agents', '/access', '/']) await open(page, path);
  await overview(page);
  await page.getByText('No task yet').or(page.getByRole('table')).first().waitFor(WAIT);
  await eventually(
    () => of('token').length,
    (count) => count >= 2,
  );
  assert.ok(refused >= 1, `${refused}`);
  assert.deepEqual(
    of('token').map(({ grant_type }) => grant_type),
    ['authorization_code', 'refresh_token'],
  );
  assert.deepEqual(await page.getByRole('alert').allTextContents(), []);
  assert.deepEqual(seen, CALM);
});

test('where the issuer renews no more, the page asks to sign in again and shows nothing', async (t) => {
  const { page, button } = await arrive(t);
  await button.click();
  await overview(page);
  refuse = ({ grant_type }) => grant_type === 'refresh_token';
  await page.route('**/v1/**', (route) =>
    route.fulfill({
      status: 401,
      contentType: 'application/json',
      body: '{"error":{"code":"unauthenticated","message":"no"}}',
    }),
  );
  await open(page, '/sessions');
  await page.getByText('no longer valid').waitFor(WAIT);
  assert.equal(await page.locator('nav').count(), 0);
});

test('signing out gives the tokens back to the issuer and ends every call', async (t) => {
  const { page, button } = await arrive(t);
  await button.click();
  await overview(page);
  const given = [];
  const later = [];
  page.on('request', (request) => {
    if (request.url() === `${origin}/revoke`) given.push(new URLSearchParams(request.postData()));
    else later.push(request.url());
  });
  await page.getByRole('button', { name: 'Sign out' }).click();
  await button.waitFor(WAIT);
  await eventually(
    () => given.length,
    (count) => count === 2,
  );
  assert.deepEqual(
    given.map((form) => [form.get('client_id'), form.get('token').startsWith('eyJ')]),
    [
      [CLIENT, false],
      [CLIENT, true],
    ],
  );
  await page.waitForTimeout(1_500);
  later.length = 0;
  await stage.submit('hello');
  await page.waitForTimeout(1_500);
  assert.deepEqual(later, []);
});
