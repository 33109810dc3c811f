import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SUPPORTED_VERSIONS, VERSION_HEADER } from '#protocol/versions.ts';
import type { TestAnswer, TestClient } from '../harness/client.ts';
import { CONNECTOR, type Ids, OUTBOUND, QUOTA } from './access-world.ts';
import { stageOf } from './stage.ts';
import {
  ANSWERED_OTHERWISE,
  describedIn,
  type MatrixRequest,
  matrixWorld,
  type OpenApiDocument,
  ROWS,
  rightRequest,
  wrongRequests,
} from './version-matrix.ts';

const NEWER = 'agents-protocol-2026-10-11';
const SLOW_MS = 120_000;

describe.each(SUPPORTED_VERSIONS)('every operation in %s', (version) => {
  const directory = mkdtempSync(join(tmpdir(), 'harn-versions-'));
  const secret = join(directory, 'connector-secret');
  writeFileSync(secret, 'a-connector-secret-0123456789');
  afterAll(() => rmSync(directory, { recursive: true }));
  const connector = {
    id: CONNECTOR,
    provider: 'shop',
    auth: { type: 'hmac-sha256', secret: { file: secret } },
  };
  const stage = stageOf({ config: { outbound: OUTBOUND, quotas: [QUOTA], connectors: [connector] } });
  let client: TestClient;
  let document: OpenApiDocument;
  let world: Ids;
  beforeAll(async () => {
    // Its answers are held against our document of the version and against the reference.
    client = await stage.speaking(version);
    document = (await client.call('GET', '/openapi.json')).body as unknown as OpenApiDocument;
    world = await matrixWorld(stage);
  }, SLOW_MS);

  const ask = ({ method, path, body, headers }: MatrixRequest): Promise<TestAnswer> =>
    client.call(method, path, { ...(body === undefined ? {} : { body }), ...(headers ? { headers } : {}) });
  /** A stream has no end to wait for: its head says enough. */
  const head = (request: MatrixRequest) => client.call('HEAD', request.path);

  it.each(ROWS)(
    '[VER-MATRIX-01] %s: a right request succeeds, and its answer has the form of both documents',
    async (id, row) => {
      expect(describedIn(document, row)).toBeDefined();
      const request = await rightRequest(stage, document, [id, row], world);
      const answer = await (row.kind === 'stream' ? head(request) : ask(request));
      const expected = ANSWERED_OTHERWISE[id] ?? [row.success];
      expect([id, answer.text, expected.includes(answer.status)]).toEqual([id, answer.text, true]);
    },
    SLOW_MS,
  );

  it.each(ROWS)(
    '[VER-MATRIX-01] %s: a wrong request is refused in the form of both documents',
    async (id, row) => {
      const right = await rightRequest(stage, document, [id, row], world);
      for (const { name, request, statuses } of wrongRequests(document, row, right)) {
        const answer = await ask(request);
        expect([id, name, answer.status, answer.text]).toEqual([
          id,
          name,
          statuses.find((status) => status === answer.status) ?? statuses[0],
          answer.text,
        ]);
        expect(answer.body).toMatchObject({
          error: { code: expect.any(String), message: expect.any(String), request_id: expect.any(String) },
        });
      }
    },
    SLOW_MS,
  );

  it.each(ROWS)(
    '[VER-MATRIX-01] %s: a key is taken where the version has it, and nowhere else',
    async (id, row) => {
      if (row.scope === 'signature') return expect(row.kind).toBe('command');
      const takesKey = version !== NEWER || row.createsTask === true;
      const request = await rightRequest(stage, document, [id, row], world);
      const headers = { ...request.headers, 'idempotency-key': `matrix-${id}` };
      const answer = await (row.kind === 'stream' && takesKey
        ? client.call('HEAD', request.path, { headers })
        : ask({ ...request, headers }));
      if (takesKey) expect([id, answer.text, answer.status < 500]).toEqual([id, answer.text, true]);
      else
        expect([id, answer.body]).toMatchObject([
          id,
          { error: { param: 'Idempotency-Key', details: { reason: 'idempotency_not_supported' } } },
        ]);
    },
    SLOW_MS,
  );

  it.each(ROWS.filter(([, { scope }]) => scope !== 'public' && scope !== 'signature'))(
    '[VER-MATRIX-01] %s: without the version it is 426',
    async (id, row) => {
      const path = row.path.replace(/\{(\w+)\}/g, (_, name: string) => world[name] ?? 'absent');
      const headers = { [VERSION_HEADER]: undefined };
      expect([id, (await client.call(row.method, path, { headers })).status]).toEqual([id, 426]);
    },
  );
});
