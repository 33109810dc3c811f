import { describe, expect, it } from 'vitest';
import { AddressGuard, TargetRefused } from '../../../bridges/outbound/address-guard.ts';

/** Names of this test and where they lead. */
const NAMES: Record<string, string[]> = {
  'public.example': ['93.184.216.34', '2606:2800:220:1::1'],
  'private.example': ['10.0.0.7'],
  'mixed.example': ['93.184.216.34', '127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  localhost: ['127.0.0.1', '::1'],
  'sub.localhost': ['::1'],
  'zone.example': ['fe80::1%eth0'],
  'nonsense.example': ['not-an-address'],
  'empty.example': [],
};

const resolve = async (hostname: string) => {
  const found = NAMES[hostname];
  if (found === undefined) throw new Error('ENOTFOUND');
  return found;
};
const guard = (allow: string[] = []) => new AddressGuard(allow, resolve);

async function refusal(url: string, allow?: string[]): Promise<string> {
  try {
    await guard(allow).check(url);
    return 'let through';
  } catch (error) {
    return error instanceof TargetRefused ? error.refusal : String(error);
  }
}

/** URLs with which people reach what they must not. */
const CORPUS: [string, string][] = [
  ['https://127.0.0.1/', 'address'],
  ['https://127.1/', 'address'],
  ['https://127.0.1/', 'address'],
  ['https://2130706433/', 'address'],
  ['https://0x7f000001/', 'address'],
  ['https://0x7f.0.0.1/', 'address'],
  ['https://0177.0.0.1/', 'address'],
  ['https://017700000001/', 'address'],
  ['https://127.0.0.1./', 'address'],
  ['https://１２７.０.０.１/', 'address'],
  ['https://①②⑦.⓪.⓪.①/', 'address'],
  ['https://0/', 'address'],
  ['https://0.0.0.0/', 'address'],
  ['https://10.1.2.3/', 'address'],
  ['https://172.16.0.1/', 'address'],
  ['https://172.31.255.255/', 'address'],
  ['https://192.168.1.1/', 'address'],
  ['https://100.64.0.1/', 'address'],
  ['https://169.254.169.254/latest/meta-data/', 'address'],
  ['https://192.0.0.192/', 'address'],
  ['https://198.18.0.1/', 'address'],
  ['https://192.0.2.1/', 'address'],
  ['https://224.0.0.1/', 'address'],
  ['https://240.0.0.1/', 'address'],
  ['https://255.255.255.255/', 'address'],
  ['https://[::]/', 'address'],
  ['https://[::1]/', 'address'],
  ['https://[::ffff:127.0.0.1]/', 'address'],
  ['https://[::ffff:7f00:1]/', 'address'],
  ['https://[::ffff:0:127.0.0.1]/', 'address'],
  ['https://[::127.0.0.1]/', 'address'],
  ['https://[::7f00:1]/', 'address'],
  ['https://[fec0::1]/', 'address'],
  ['https://[4000::1]/', 'address'],
  ['https://[64:ff9b:1::7f00:1]/', 'address'],
  ['https://[64:ff9b::7f00:1]/', 'address'],
  ['https://[2002:7f00:1::]/', 'address'],
  ['https://[2001::1]/', 'address'],
  ['https://[fc00::1]/', 'address'],
  ['https://[fd12:3456::1]/', 'address'],
  ['https://[fe80::1]/', 'address'],
  ['https://[ff02::1]/', 'address'],
  ['https://localhost/', 'address'],
  ['https://localhost./', 'address'],
  ['https://LOCALHOST:8443/', 'address'],
  ['https://sub.localhost/', 'address'],
  ['https://private.example/', 'address'],
  ['https://mixed.example/', 'address'],
  ['https://metadata.example/', 'address'],
  ['https://zone.example/', 'address'],
  ['https://nonsense.example/', 'address'],
  ['https://empty.example/', 'unresolved'],
  ['https://gone.example/', 'unresolved'],
  ['https://user@public.example/', 'user_info'],
  ['https://user:pass@public.example/', 'user_info'],
  ['https://public.example@127.0.0.1/', 'user_info'],
  ['http://public.example/', 'scheme'],
  ['http://93.184.216.34/', 'scheme'],
  ['file:///etc/passwd', 'scheme'],
  ['gopher://public.example/', 'scheme'],
  ['ftp://public.example/', 'scheme'],
  ['data:text/plain,x', 'scheme'],
  ['javascript:alert(1)', 'scheme'],
  ['//public.example/', 'malformed'],
  ['public.example', 'malformed'],
  ['https://', 'malformed'],
  ['https://[::1', 'malformed'],
  ['', 'malformed'],
];

describe('the guard of URLs that callers give', () => {
  it('[X-01] [X-05] knows at least 40 ways in', () => {
    expect(CORPUS.length).toBeGreaterThan(40);
  });

  it.each(CORPUS)('[X-01] [X-05] refuses %s', async (url, expected) => {
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
