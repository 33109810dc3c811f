import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#protocol/json.ts';
import { cardUrls, type Pin, readCard } from '../../../../bridges/a2a/client/card.ts';

const ORIGIN = 'https://agent.example';
const CARD_URL = new URL(`${ORIGIN}/.well-known/agent-card.json`);

const BASE = {
  name: 'Agent',
  description: 'Does things.',
  version: '2.1.0',
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['application/json'],
  skills: [{ id: 's', name: 'Skill', description: 'One.', tags: ['t'], examples: ['do'] }],
};

const row = (protocolBinding: string, protocolVersion: string, url = `${ORIGIN}/${protocolBinding}`) => ({
  url,
  protocolBinding,
  protocolVersion,
});
const v1 = (...supportedInterfaces: JsonObject[]) => ({ ...BASE, supportedInterfaces });
const v03 = { ...BASE, protocolVersion: '0.3.0', url: `${ORIGIN}/legacy`, preferredTransport: 'JSONRPC' };

const chosen = (card: JsonObject, pin: Pin = {}, cardUrl = CARD_URL) => {
  const { protocol, url, dialect } = readCard(card, cardUrl, pin).target;
  return [protocol, url.href, dialect];
};

describe('the interface of a card', () => {
  it.each([
    ['1.0', v1(row('JSONRPC', '1.0')), ['jsonrpc-1.0', `${ORIGIN}/JSONRPC`, '1.0']],
    ['1.0 with a patch number', v1(row('JSONRPC', '1.0.1')), ['jsonrpc-1.0', `${ORIGIN}/JSONRPC`, '1.0']],
    ['1.0 over HTTP+JSON', v1(row('HTTP+JSON', '1.0')), ['http+json-1.0', `${ORIGIN}/HTTP+JSON`, '1.0']],
    [
      '1.0 in its own order of preference',
      v1(row('GRPC', '1.0'), row('HTTP+JSON', '1.0'), row('JSONRPC', '1.0')),
      ['http+json-1.0', `${ORIGIN}/HTTP+JSON`, '1.0'],
    ],
    [
      'the newest version',
      v1(row('JSONRPC', '0.3'), row('JSONRPC', '1.0', `${ORIGIN}/new`)),
      ['jsonrpc-1.0', `${ORIGIN}/new`, '1.0'],
    ],
    ['0.3', v03, ['jsonrpc-0.3', `${ORIGIN}/legacy`, '0.3']],
    [
      '0.3 in an additional interface',
      {
        ...v03,
        preferredTransport: 'GRPC',
        additionalInterfaces: [{ url: `${ORIGIN}/more`, transport: 'JSONRPC' }],
      },
      ['jsonrpc-0.3', `${ORIGIN}/more`, '0.3'],
    ],
    ['hybrid', { ...v03, ...v1(row('JSONRPC', '1.0')) }, ['jsonrpc-1.0', `${ORIGIN}/JSONRPC`, '1.0']],
    [
      '0.3 over HTTP+JSON alone',
      { ...v03, preferredTransport: 'HTTP+JSON' },
      ['http+json-0.3', `${ORIGIN}/legacy`, '0.3'],
    ],
    [
      '0.3 over gRPC alone',
      { ...v03, url: 'agent.example:9000', preferredTransport: 'GRPC' },
      ['grpc-0.3', 'https://agent.example:9000/', '0.3'],
    ],
    [
      '0.3 over JSON-RPC before its other bindings',
      v1(row('GRPC', '0.3'), row('HTTP+JSON', '0.3'), { ...row('JSONRPC', '0.3') }),
      ['jsonrpc-0.3', `${ORIGIN}/JSONRPC`, 'harn-serve'],
    ],
    ['harn serve', v1(row('JSONRPC', '0.3.0')), ['jsonrpc-0.3', `${ORIGIN}/JSONRPC`, 'harn-serve']],
  ])('is chosen: %s', (_what, card, expected) => {
    expect(chosen(card)).toEqual(expected);
  });

  it('can be pinned', () => {
    const hybrid = { ...v03, ...v1(row('JSONRPC', '1.0'), row('HTTP+JSON', '1.0')) };
    expect(chosen(hybrid, { protocol: '0.3' })[0]).toBe('jsonrpc-0.3');
    expect(chosen(hybrid, { binding: 'HTTP+JSON' })[0]).toBe('http+json-1.0');
    const old = { ...v03, additionalInterfaces: [{ url: `${ORIGIN}/rest`, transport: 'HTTP+JSON' }] };
    expect(chosen(old, { binding: 'HTTP+JSON' })).toEqual(['http+json-0.3', `${ORIGIN}/rest`, '0.3']);
    expect(chosen(v03, { binding: 'HTTP+JSON' })[0]).toBe('jsonrpc-0.3');
    expect(() => chosen(v03, { protocol: '1.0' })).toThrow('offers no interface');
  });

  it.each([
    ['an unknown version', v1(row('JSONRPC', '2.0'))],
    ['a version that is none', v1(row('JSONRPC', '1'))],
    ['no version', v1({ url: `${ORIGIN}/a`, protocolBinding: 'JSONRPC' })],
    ['an unknown binding', v1(row('CORBA', '1.0'))],
    ['an old 0.2 card', { ...v03, protocolVersion: '0.2.6' }],
    ['nothing', BASE],
  ])('is refused with %s', (_what, card) => {
    expect(() => chosen(card as JsonObject)).toThrow('offers no interface');
  });

  it('is gRPC where nothing of 1.0 comes before it, at the host of the card and a port of its own', () => {
    const grpc = (url: string) => ({ url, protocolBinding: 'GRPC', protocolVersion: '1.0' });
    expect(chosen(v1(grpc('agent.example:9000'), row('HTTP+JSON', '1.0')))[0]).toBe('http+json-1.0');
    expect(chosen({ ...v03, ...v1(grpc('agent.example:9000')) })[0]).toBe('grpc-1.0');
    for (const [url, href] of [
      ['agent.example:9000', 'https://agent.example:9000/'],
      ['dns:///agent.example:9000', 'https://agent.example:9000/'],
      ['https://agent.example:9000', 'https://agent.example:9000/'],
      ['grpcs://agent.example:9000', 'https://agent.example:9000/'],
    ] as const)
      expect(chosen(v1(grpc(url)))).toEqual(['grpc-1.0', href, '1.0']);
    for (const url of ['evil.example:9000', 'http://agent.example:9000', 'user:pass@agent.example:9000', ''])
      expect(() => chosen(v1(grpc(url))), url).toThrow('names an interface');
  });

  it.each([
    'https://evil.example/rpc',
    'http://agent.example/rpc',
    'https://agent.example:8443/rpc',
    'https://agent.example.evil.example/rpc',
    'https://user:pass@agent.example/rpc',
    'file:///etc/passwd',
    '//evil.example/rpc',
    'https://',
  ])('is refused on another origin than the card: %s', (url) => {
    expect(() => chosen(v1(row('JSONRPC', '1.0', url)))).toThrow(/interface/);
  });

  it('may use another name of the loopback host, which is spelled as the card is', () => {
    const cardUrl = new URL('http://127.0.0.1:4000/.well-known/agent-card.json');
    const rpc = (url: string) => v1(row('JSONRPC', '1.0', url));
    expect(chosen(rpc('http://localhost:4000/rpc'), {}, cardUrl)[1]).toBe('http://127.0.0.1:4000/rpc');
    expect(chosen(rpc('http://[::1]:4000/rpc'), {}, cardUrl)[1]).toBe('http://127.0.0.1:4000/rpc');
    expect(() => chosen(rpc('http://localhost:4001/rpc'), {}, cardUrl)).toThrow(/origin/);
  });
});

describe('what the agent says of itself', () => {
  it('is read from the card, which is kept as it came', () => {
    const card = { ...v03, unknownMember: { kept: true } };
    expect(readCard(card, CARD_URL, {}).description).toEqual({
      name: 'Agent',
      description: 'Does things.',
      version: '2.1.0',
      skills: [{ id: 's', name: 'Skill', description: 'One.', tags: ['t'], examples: ['do'] }],
      inputModes: ['text/plain'],
      outputModes: ['application/json'],
      streaming: true,
      raw: card,
    });
  });

  it('is refused when it is no object', () => {
    for (const raw of [null, [], 'card', 7])
      expect(() => readCard(raw, CARD_URL, {})).toThrow('no JSON object');
  });
});

describe('where the card is', () => {
  it('is the configured URL, or the well-known places below one that ends with a slash', () => {
    expect(cardUrls('https://a.example/cards/x.json').map(String)).toEqual([
      'https://a.example/cards/x.json',
    ]);
    expect(cardUrls('https://a.example').map(String)).toEqual([
      'https://a.example/.well-known/agent-card.json',
      'https://a.example/.well-known/agent.json',
    ]);
    expect(cardUrls('https://a.example/team/').map(String)[0]).toBe(
      'https://a.example/team/.well-known/agent-card.json',
    );
  });
});
