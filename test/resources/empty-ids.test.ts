import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '#resources/operations.ts';
import { operationSchemas } from '#surfaces/discovery/openapi-schemas.ts';
import { AskingClient } from '../harness/asking-client.ts';
import { userText } from '../harness/client.ts';
import { startTestGateway, type TestGateway } from '../harness/gateway.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: readonly unknown[];
  minLength?: number;
  pattern?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: Schema | boolean;
}

const ID_MEMBER = /_ids?$|^into$/;
/** Ids in Messages are names that agents gave; what they refer to is checked when it is looked up. */
const MESSAGE = '#/components/schemas/MessageInput';

const { schemas, byOperation } = operationSchemas();

/** Paths of the id members of a request that would take an empty string. */
function emptyIds(schema: Schema, path: string): string[] {
  if (schema.$ref === MESSAGE) return [];
  if (schema.$ref !== undefined) return emptyIds(named(schema.$ref), path);
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
    ...(ID_MEMBER.test(name) && branches(member).some(takesEmpty) ? [`${path}.${name}`] : []),
    ...emptyIds(member, `${path}.${name}`),
  ]);
  const more = schema.additionalProperties;
  const inner = typeof more === 'object' ? emptyIds(more, `${path}.*`) : [];
  return [...members, ...inner, ...(schema.anyOf ?? []).flatMap((branch) => emptyIds(branch, path))];
}

function named(ref: string): Schema {
  return schemas[ref.split('/').at(-1) ?? ''] as Schema;
}

function branches(schema: Schema): Schema[] {
  return [schema, ...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
}

function takesEmpty({ type, enum: words, minLength, pattern }: Schema): boolean {
  if (words !== undefined) return words.includes('');
  return type === 'string' && pattern === undefined && (minLength ?? 0) === 0;
}

describe('an empty id in a request', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({ extraClients: [new AskingClient()] });
  });
  afterAll(async () => {
    await gateway.close();
  });

  it('is taken by no operation', () => {
    const found = Object.keys(OPERATIONS).flatMap((id) => {
      const { body } = byOperation[id as keyof typeof OPERATIONS];
      return body === undefined ? [] : emptyIds(body as Schema, id);
    });
    expect(found).toEqual([]);
  });

  it.each(['session_id', 'workspace_id', 'persona_id', 'branch_id', 'parent_task_id'])(
    'is refused as %s of a task in words, and nothing is submitted',
    async (param) => {
      const session = await gateway.client.session();
      const path = `/v1/sessions/${session.id}/tasks`;
      const { status, body } = await gateway.client.call('POST', path, {
        body: { input: userText('one'), [param]: '' },
      });
      expect({ status, ...body }).toMatchObject({ status: 400, error: { code: 'invalid_request', param } });
      const { data } = await gateway.client.get<{ data: unknown[] }>(path);
      expect(data).toEqual([]);
    },
  );

  it('is none when it is null', async () => {
    const session = await gateway.client.session();
    const none = { persona_id: null, branch_id: null, parent_task_id: null };
    const task = await gateway.client.post(`/v1/sessions/${session.id}/tasks`, {
      input: userText('one'),
      ...none,
    });
    expect(task).toMatchObject(none);
  });
});
