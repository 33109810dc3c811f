import { describe, expect, it } from 'vitest';
import type { Artifact } from '#resources/artifact/schema.ts';
import { stageOf } from '../../conformance/stage.ts';

const URI = 'https://files.example/report.pdf';

describe('artifacts whose content lives elsewhere', () => {
  const stage = stageOf();
  const register = () =>
    stage.client.post<Artifact>('/v1/artifacts', {
      kind: 'file',
      mime_type: 'application/pdf',
      visibility: 'public',
      uri: URI,
    });

  it('[CORE-RES-11] an upload is a conflict that says so', async () => {
    const { id, uri } = await register();
    expect(uri).toBe(URI);
    const refused = await stage.client.call('PUT', `/v1/artifacts/${id}/content`, {
      body: Buffer.from('x'),
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ error: { code: 'conflict', details: { uri: URI } } });
    expect(refused.text).toContain('lives at its uri');
  });

  it('[CORE-RES-11] a download is absent here and says where to go', async () => {
    const { id } = await register();
    const absent = await stage.client.call('GET', `/v1/artifacts/${id}/content`);
    expect(absent.status).toBe(404);
    expect(absent.body).toMatchObject({ error: { code: 'resource_not_found', details: { uri: URI } } });
    expect(absent.text).toContain('lives at its uri');
  });
});
