import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSurface, type UnderTest } from './surface-under-test.ts';

let under: UnderTest;
beforeEach(async () => {
  under = await startSurface();
});
afterEach(async () => {
  await under.close();
});

const read = (path: string, accept: string) =>
  fetch(`${under.url}${path}`, { headers: { accept }, redirect: 'manual' });

describe('the page of the API', () => {
  it('is what a browser gets, without a key', async () => {
    const led = await read('/docs', 'text/html,*/*;q=0.8');
    expect([led.status, led.headers.get('location')]).toEqual([302, '/docs/']);
    const page = await read('/docs/', 'text/html');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await page.text()).toContain('<main id="api">');
    expect(under.gateway.calls).toEqual([]);
  });

  it('runs and loads nothing but what the gateway serves, and is not framed', async () => {
    const page = await read('/docs/', 'text/html');
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:/);
    const text = await page.text();
    expect(text).not.toMatch(/<script>|<style|\sstyle=|\son\w+=|(src|href)="https?:/);
    const asset = await read('/docs/assets/page-1.js', '*/*');
    expect([asset.status, asset.headers.get('content-type')]).toEqual([
      200,
      'text/javascript; charset=utf-8',
    ]);
    expect(asset.headers.get('cache-control')).toContain('immutable');
    expect(asset.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
  });

  it('is JSON to other clients, as is a file that is not there', async () => {
    for (const [path, accept] of [
      ['/docs', 'application/json'],
      ['/docs', '*/*'],
      ['/docs/assets/none.js', 'text/html'],
      ['/docs/assets/..%2findex.html', 'text/html'],
    ] as const) {
      const answer = await read(path, accept);
      expect(answer.status, path).toBeGreaterThanOrEqual(400);
      expect(answer.status, path).toBeLessThan(500);
      expect(await answer.json()).toMatchObject({ error: { code: expect.any(String) } });
    }
  });

  it('is not sent again to who has it', async () => {
    const { headers } = await read('/docs/', 'text/html');
    const again = await fetch(`${under.url}/docs/`, {
      headers: { 'if-none-match': headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });
});
