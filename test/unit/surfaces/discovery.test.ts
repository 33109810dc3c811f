import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProtocolError } from '#protocol/errors.ts';
import { harnAgentCard } from '#resources/discovery/schema.ts';
import { loadExamples } from '#resources/load-examples.ts';
import { OPERATIONS } from '#resources/operations.ts';
import { openApiDocument } from '#surfaces/discovery/openapi.ts';
import { answerMetrics } from '#surfaces/http-surface.ts';
import { cardsOf, startSurface, type UnderTest } from './surface-under-test.ts';

interface Json {
  [key: string]: unknown;
}
const agent = {
  name: 'Sample',
  description: 'Answers.',
  version: '1.0.0',
  skills: [{ id: 'echo', name: 'Echo', description: 'Echoes.', tags: [] }],
  inputModes: ['text/plain'],
  outputModes: ['text/plain', 'image/png'],
};

let under: UnderTest;
beforeEach(async () => {
  const cards = cardsOf([{ id: 'sample', isDefault: true, description: agent }]);
  under = await startSurface({ documents: { cards } });
});
afterEach(async () => {
  await under.close();
});

const read = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${under.url}${path}`, { headers });
  return { response, body: (await response.json()) as Json };
};

describe('public documents', () => {
  it('need neither credentials nor the version header', async () => {
    expect((await read('/health')).body).toEqual({ ok: true, status: 'ok', version: '0.1.0' });
    expect((await read('/version')).body).toEqual({
      object: 'version',
      version: '0.1.0',
      protocol_version: 'agents-protocol-2026-04-25',
    });
    expect((await read('/ready')).response.status).toBe(200);
    expect(under.gateway.calls).toEqual([]);
  });

  it('advertise only what works', async () => {
    expect((await read('/v1')).body).toEqual({
      object: 'protocol_discovery',
      protocol_family: 'harn_agents_protocol',
      current_version: 'agents-protocol-2026-04-25',
      supported_versions: ['agents-protocol-2026-04-25', 'agents-protocol-2026-10-11'],
      capabilities: { rest: true, sse: true, websocket: true, receipts: true, replay: true },
    });
  });

  it('say with 503 when and why the gateway is not ready', async () => {
    await under.close();
    const details = { checked: 5 };
    under = await startSurface({
      documents: {
        readiness: () => ({ ok: false, status: 'verifying', reason: 'The log is checked.', details }),
      },
    });
    const { response, body } = await read('/ready');
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(body).toEqual({ ok: false, status: 'verifying', reason: 'The log is checked.', details });
  });
});

describe('the agent card', () => {
  it('is called harn_agent_card, and agent_card by clients that send the version header', async () => {
    const newer = await read('/v1/agent-card');
    const older = await read('/v1/agent-card', {
      'Harn-Agents-Protocol-Version': 'agents-protocol-2026-04-25',
    });
    expect(newer.body['object']).toBe('harn_agent_card');
    expect(older.body['object']).toBe('agent_card');
    expect({ ...older.body, object: 0, signature: 0 }).toEqual({ ...newer.body, object: 0, signature: 0 });
    expect(older.body['signature']).not.toEqual(newer.body['signature']);
    expect(newer.response.headers.get('vary')).toBe('Harn-Agents-Protocol-Version');
    expect(newer.response.headers.get('etag')).not.toBe(older.response.headers.get('etag'));
    expect(harnAgentCard.parse(newer.body)).toMatchObject({
      name: 'Sample',
      signature: { algorithm: 'ed25519', key_id: 'key-of-the-test' },
    });
  });

  it('holds one A2A card that readers of 1.0 and 0.3 understand', async () => {
    const { body } = await read('/v1/agent-card');
    const url = `${under.url}/v1`;
    const binding = 'https://harnlang.com/spec/agents-protocol/v1';
    expect(body['a2a_card']).toMatchObject({
      name: 'Sample',
      supportedInterfaces: [
        { url, protocolBinding: binding, protocolVersion: 'agents-protocol-2026-04-25' },
        { url, protocolBinding: binding, protocolVersion: 'agents-protocol-2026-10-11' },
      ],
      url,
      preferredTransport: binding,
      additionalInterfaces: [],
      protocolVersion: '0.3.0',
      capabilities: { streaming: true, pushNotifications: false },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain', 'image/png'],
      skills: [{ id: 'echo', name: 'Echo', description: 'Echoes.', tags: ['agent'] }],
    });
    expect(body['a2a_agent_card']).toEqual(body['a2a_card']);
    expect(body['harn_interfaces']).toEqual([
      { transport: 'rest', url },
      { transport: 'sse', url: `${url}/events/stream` },
      { transport: 'websocket', url: `${url.replace('http:', 'ws:')}/ws` },
    ]);
    expect(body['interfaces']).toEqual(body['harn_interfaces']);
  });

  it('is not sent again to a client that has it', async () => {
    const first = await fetch(`${under.url}/v1/agent-card`);
    const tag = first.headers.get('etag') ?? '';
    const again = await fetch(`${under.url}/v1/agent-card`, {
      headers: { 'If-None-Match': `"x", W/${tag}` },
    });
    expect(again.status).toBe(304);
    expect(await again.text()).toBe('');
    const garbage = await fetch(`${under.url}/v1/agent-card`, {
      headers: { 'If-None-Match': '",,"*', Range: 'bytes=9-1' },
    });
    expect(garbage.status).toBe(200);
  });

  it.each([
    '/.well-known/agent-card.json',
    '/a2a/.well-known/agent-card.json',
    '/a2a/sample/.well-known/agent-card.json',
  ])(
    '[A2A-CARD-01] of A2A is open to all at %s, may be kept a while, and is not sent again to a client that has it',
    async (path) => {
      const first = await read(path);
      expect(first.response.status).toBe(200);
      expect(first.body).toMatchObject({ name: 'Sample', signatures: [{}, {}, {}] });
      const tag = first.response.headers.get('etag') ?? '';
      const again = await fetch(`${under.url}${path}`, { headers: { 'If-None-Match': tag } });
      expect([again.status, await again.text()]).toEqual([304, '']);
      expect(again.headers.get('cache-control')).toBe('public, max-age=60');
      const { headers } = first.response;
      expect(headers.get('cache-control')).toBe('public, max-age=60');
      expect(headers.get('last-modified')).toBe('Sat, 21 Nov 2026 00:00:00 GMT');
      const since = async (time: string, tags?: string) => {
        const known = { 'If-Modified-Since': time, ...(tags === undefined ? {} : { 'If-None-Match': tags }) };
        return (await fetch(`${under.url}${path}`, { headers: known })).status;
      };
      expect(await since('Sat, 21 Nov 2026 00:00:00 GMT')).toBe(304);
      expect(await since('Fri, 20 Nov 2026 23:59:59 GMT')).toBe(200);
      expect(await since('no time')).toBe(200);
      expect(await since('Sun, 22 Nov 2026 00:00:00 GMT', '"another"')).toBe(200);
    },
  );

  it('of an agent that does not exist is 404', async () => {
    const { response, body } = await read('/a2a/nobody/.well-known/agent-card.json');
    expect(response.status).toBe(404);
    expect(body).toMatchObject({ error: { code: 'resource_not_found' } });
  });

  it('uses the configured public URL', async () => {
    await under.close();
    under = await startSurface({ server: { publicUrl: 'https://gw.example.com' } });
    expect((await read('/v1/agent-card')).body['public_url']).toBe('https://gw.example.com');
  });
});

describe('the OpenAPI document', () => {
  it('holds every operation with its parameters, success status, level and error answer', async () => {
    const { body } = await read('/openapi.json');
    const paths = body['paths'] as Record<string, Record<string, Json>>;
    for (const [id, row] of Object.entries(OPERATIONS)) {
      const described = paths[row.path]?.[row.method.toLowerCase()];
      expect(described?.['operationId']).toBe(id);
      expect(described?.['x-harn-level']).toBe(row.level);
      const responses = described?.['responses'] as Json;
      expect(responses['default']).toEqual({ $ref: '#/components/responses/Error' });
      expect(Object.keys(responses)).toContain(String(row.success));
    }
  });

  it('refers only to components that exist', async () => {
    const document = openApiDocument('0.1.0', await loadExamples());
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
    expect(refs.length).toBeGreaterThan(100);
    const components = document['components'] as Record<string, Json>;
    for (const [, kind = '', name = ''] of refs) expect(Object.keys(components[kind] ?? {})).toContain(name);
    expect(JSON.stringify(document)).not.toContain('$defs');
  });

  it('gives an example that its schema accepts for every JSON body of a request and a success', async () => {
    const document = openApiDocument('0.1.0', await loadExamples()) as Json;
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, 'doc');
    let checked = 0;
    const check = (media: Json | undefined, at: string) => {
      if (media === undefined) return;
      checked += 1;
      expect(media, at).toHaveProperty('example');
      const validate = ajv.compile({ $ref: `doc#${at}/schema` });
      expect([at, validate(media['example']), validate.errors]).toEqual([at, true, null]);
    };
    for (const [path, methods] of Object.entries(document['paths'] as Record<string, Record<string, Json>>)) {
      for (const [method, described] of Object.entries(methods)) {
        const base = `/paths/${path.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')}/${method}`;
        const body = (described['requestBody'] as { content: Record<string, Json> } | undefined)?.content;
        check(body?.['application/json'], `${base}/requestBody/content/application~1json`);
        for (const [status, response] of Object.entries(
          described['responses'] as Record<string, { content?: Record<string, Json> }>,
        )) {
          check(
            response.content?.['application/json'],
            `${base}/responses/${status}/content/application~1json`,
          );
        }
      }
    }
    expect(checked).toBeGreaterThan(80);
    const error = '/components/responses/Error';
    const shared = (document['components'] as { responses: { Error: { content: Record<string, Json> } } })
      .responses.Error.content;
    check(shared['application/json'], `${error}/content/application~1json`);
  });
});

describe('/metrics', () => {
  it('serves the injected text without the version header', async () => {
    const response = await fetch(`${under.url}/metrics`, { headers: { Authorization: 'Bearer test' } });
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4');
    expect(await response.text()).toBe('up 1\n');
  });

  it('asks the injected check first', async () => {
    const refused = new ProtocolError('unauthenticated', 'Send a bearer token.');
    const source = {
      authorize: () => {
        throw refused;
      },
      read: async () => {
        throw new Error('must not be read');
      },
    };
    const exchange = { caller: () => ({}) } as never;
    await expect(answerMetrics(source, exchange)).rejects.toBe(refused);
  });
});
