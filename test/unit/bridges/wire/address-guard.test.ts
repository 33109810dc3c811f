import { describe, expect, it } from 'vitest';
import { AddressGuard, TargetRefused } from '../../../../bridges/wire/address-guard.ts';
import { FORBIDDEN_URLS, NAMES, resolveName } from '../../../harness/forbidden-urls.ts';

const guard = (allow: string[] = []) => new AddressGuard(allow, resolveName);

async function refusal(url: string, allow?: string[]): Promise<string> {
  try {
    await guard(allow).check(url);
    return 'let through';
  } catch (error) {
    return error instanceof TargetRefused ? error.refusal : String(error);
  }
}

describe('the guard of URLs that callers give', () => {
  it('[X-01] [X-05] knows at least 40 ways in', () => {
    expect(FORBIDDEN_URLS.length).toBeGreaterThan(40);
  });

  it.each(FORBIDDEN_URLS)('[X-01] [X-05] refuses %s', async (url, expected) => {
    expect([url, await refusal(url)]).toEqual([url, expected]);
  });

  it('lets public addresses and names through, and gives the addresses it checked', async () => {
    const { url, addresses } = await guard().check('https://public.example:8443/hook?x=1');
    expect([url.host, addresses]).toEqual(['public.example:8443', NAMES['public.example']]);
    expect(await refusal('https://93.184.216.34/')).toBe('let through');
    expect(await refusal('https://[2606:2800:220:1::1]/')).toBe('let through');
  });

  it('lets through what the operator allows, over plain HTTP too, and no more', async () => {
    const allow = ['127.0.0.0/8', '10.0.0.7', 'fd00::/8'];
    for (const url of [
      'http://127.0.0.1:9/',
      'http://private.example/',
      'https://[fd00::5]/',
      'http://2130706433/',
    ])
      expect([url, await refusal(url, allow)]).toEqual([url, 'let through']);
    expect(await refusal('http://10.0.0.8/', allow)).toBe('address');
    expect(await refusal('http://[::1]/', allow)).toBe('address');
    expect(await refusal('http://localhost/', allow)).toBe('address');
    expect(await refusal('http://[::ffff:127.0.0.1]/', allow)).toBe('let through');
    expect(await refusal('http://public.example/', allow)).toBe('scheme');
  });

  it('never says where a name led', async () => {
    await expect(guard().check('https://metadata.example/')).rejects.toThrow(
      'The URL leads to an address that is not public; the operator can allow it in outbound.allow.',
    );
  });
});
