import { describe, expect, it as vitestIt } from 'vitest';
import { SUPPORTED_VERSIONS, type VersionId, versionOf } from '#protocol/versions.ts';
import { loadExamples } from '#resources/load-examples.ts';
import { openApiDocument } from '#surfaces/discovery/openapi.ts';
import { referenceDocument } from '../../harness/openapi-check.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  allOf?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
}
interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  schema?: Schema;
}
type Content = Record<string, { schema?: Schema }>;
interface Operation {
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content?: Content };
  responses: Record<string, { content?: Content; $ref?: string }>;
}
type Document = { paths: Record<string, Record<string, Operation>> } & Record<string, unknown>;

/** Optional members that no answer has, in either version. */
const NEVER_SENT: Record<string, string> = {
  'getEvent: response.idempotency_key unknown': "The key is the caller's own; others read the events too.",
  'listEvents: response.data[].idempotency_key unknown': 'As above.',
  'listSessionEvents: response.data[].idempotency_key unknown': 'As above.',
  'listTaskEvents: response.data[].idempotency_key unknown': 'As above.',
  'getRuntime: response.workspace_root unknown':
    'A path on the disk of the server; a Workspace has its own root.',
  'getAgentCard: response.quotas unknown':
    'The card is public, quotas are those of a tenant: GET /v1/quotas.',
  'getAgentCard: response.a2a_card.skills[].inputSchema unknown':
    'An agent takes messages; the form of a tool is in the Skills of the Harn card.',
  'getAgentCard: response.a2a_card.skills[].security unknown': 'What the card asks for holds for each skill.',
};
/** Differences that are meant, by version. The key is `operation: place`; the value says why. */
const EXCEPTIONS: Record<VersionId, Record<string, string>> = {
  'agents-protocol-2026-04-25': {
    ...NEVER_SENT,
    'getAgentCard: response.object enum': 'C1: older clients are answered with agent_card.',
  },
  'agents-protocol-2026-10-11': {
    ...NEVER_SENT,
    'submitTask: response 201 missing':
      'A Task that was created is answered with 202, one that was there with 200.',
    'submitSessionTask: response 201 missing': 'As above.',
  },
};
/** Operations of each document. */
const OPERATIONS_IN: Record<VersionId, number> = {
  'agents-protocol-2026-04-25': 72,
  'agents-protocol-2026-10-11': 86,
};

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];
const examples = await loadExamples();

/** Follows a `#/a/b` reference. */
function resolve<Node extends { $ref?: string }>(document: Document, node: Node): Node {
  if (node.$ref === undefined) return node;
  if (!node.$ref.startsWith('#/')) return {} as Node;
  const found = node.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document);
  return resolve(document, found as Node);
}

/** One object schema: `allOf` merged, references followed, the branch that is not null taken of a choice with null. */
function flatten(document: Document, node: Schema): Schema {
  const schema = resolve(document, node);
  const choice = (schema.oneOf ?? schema.anyOf)?.map((branch) => resolve(document, branch));
  const real = choice?.filter((branch) => branch.type !== 'null') ?? [];
  const [only] = real;
  if (only !== undefined && real.length === 1) return flatten(document, only);
  const merged: Schema = {
    ...schema,
    required: [...(schema.required ?? [])],
    properties: { ...schema.properties },
  };
  for (const part of schema.allOf ?? []) {
    const { required = [], properties = {}, ...rest } = flatten(document, part);
    Object.assign(merged, rest);
    merged.required?.push(...required);
    Object.assign(merged.properties ?? {}, properties);
  }
  return merged;
}

function values(schema: Schema): unknown[] | undefined {
  // Whether something may be null is said by its type.
  return schema.const === undefined ? schema.enum?.filter((word) => word !== null) : [schema.const];
}

function withoutNull(schema: Schema): string | undefined {
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  return types.filter((type) => type !== 'null').join('|') || undefined;
}

/** What a client of the reference document would trip over, by place. */
class Comparison {
  readonly problems: string[] = [];
  readonly #reference: Document;
  readonly #ours: Document;
  readonly #seen = new Set<string>();

  constructor(reference: Document, ours: Document) {
    this.#reference = reference;
    this.#ours = ours;
  }

  operation(id: string, theirs: Operation, own: Operation): void {
    this.#parameters(id, theirs, own);
    this.#request(id, theirs, own);
    for (const status of Object.keys(theirs.responses)) {
      if (own.responses[status] === undefined) this.problems.push(`${id}: response ${status} missing`);
    }
    const status = Object.keys(theirs.responses).find((code) => code.startsWith('2')) ?? '';
    for (const [type, media] of Object.entries(theirs.responses[status]?.content ?? {})) {
      const mine = own.responses[status]?.content?.[type] ?? own.responses[status]?.content?.['*/*'];
      if (mine === undefined) this.problems.push(`${id}: response ${type} missing`);
      else if (type === 'application/json')
        this.#schema(`${id}: response`, media.schema, mine.schema, 'response');
    }
  }

  /** Every parameter they have is known here, and no other one is demanded. */
  #parameters(id: string, theirs: Operation, own: Operation): void {
    const keys = (document: Document, operation: Operation, pick: (parameter: Parameter) => boolean) =>
      (operation.parameters ?? [])
        .map((parameter) => resolve(document, parameter))
        .filter(pick)
        .map((parameter) => `${parameter.in} ${parameter.name}`);
    const known = keys(this.#ours, own, () => true);
    const demanded = keys(this.#reference, theirs, (parameter) => parameter.required === true);
    for (const key of keys(this.#reference, theirs, () => true)) {
      if (!known.includes(key)) this.problems.push(`${id}: parameter ${key} missing`);
    }
    for (const key of keys(this.#ours, own, (parameter) => parameter.required === true)) {
      if (!demanded.includes(key)) this.problems.push(`${id}: parameter ${key} demanded`);
    }
  }

  #request(id: string, theirs: Operation, own: Operation): void {
    if (own.requestBody?.required === true && theirs.requestBody?.required !== true) {
      this.problems.push(`${id}: request body demanded`);
    }
    const schema = theirs.requestBody?.content?.['application/json']?.schema;
    const mine = own.requestBody?.content?.['application/json']?.schema;
    if (schema !== undefined) this.#schema(`${id}: request`, schema, mine, 'request');
  }

  #schema(
    at: string,
    theirs: Schema | undefined,
    own: Schema | undefined,
    side: 'request' | 'response',
  ): void {
    if (theirs === undefined) return;
    if (own === undefined) {
      this.problems.push(`${at} missing`);
      return;
    }
    const visit = `${at.split(':')[0]} ${theirs.$ref ?? at} ${own.$ref ?? at} ${side}`;
    if (this.#seen.has(visit)) return;
    this.#seen.add(visit);
    const [reference, mine] = [flatten(this.#reference, theirs), flatten(this.#ours, own)];
    this.#values(at, reference, mine, side);
    const [type, ownType] = [withoutNull(reference), withoutNull(mine)];
    if (type !== undefined && ownType !== undefined && type !== ownType) {
      this.problems.push(`${at} is ${ownType} instead of ${type}`);
    }
    this.#required(at, reference, mine, side);
    for (const [name, property] of Object.entries(reference.properties ?? {})) {
      const property2 = mine.properties?.[name];
      if (property2 !== undefined) this.#schema(`${at}.${name}`, property, property2, side);
      else this.problems.push(`${at}.${name} unknown`);
    }
    if (reference.items !== undefined) this.#schema(`${at}[]`, reference.items, mine.items, side);
  }

  /** A request may not demand more than theirs, a response may not promise less. */
  #required(at: string, reference: Schema, mine: Schema, side: 'request' | 'response'): void {
    const [demanding, allowed] = side === 'request' ? [mine, reference] : [reference, mine];
    for (const name of demanding.required ?? []) {
      if (!(allowed.required ?? []).includes(name)) this.problems.push(`${at}.${name} required`);
    }
  }

  /** Requests accept at least their words, responses use no others. */
  #values(at: string, reference: Schema, mine: Schema, side: 'request' | 'response'): void {
    const [theirWords, ownWords] = [values(reference), values(mine)];
    if (theirWords === undefined) return;
    const [smaller, larger] = side === 'request' ? [theirWords, ownWords] : [ownWords, theirWords];
    const fits = larger === undefined || (smaller ?? []).every((word) => larger.includes(word));
    if (!fits || (side === 'response' && ownWords === undefined)) this.problems.push(`${at} enum`);
  }
}

describe.each(SUPPORTED_VERSIONS)('our document against the reference of %s (or skipped)', (version) => {
  const ours = openApiDocument('0.1.0', examples, versionOf(version)) as unknown as Document;
  const given = referenceDocument(version) as Document | undefined;
  const reference = given ?? ({ paths: {} } as unknown as Document);
  const exceptions = EXCEPTIONS[version];
  const it = vitestIt.runIf(given !== undefined);
  const rows = Object.entries(ours.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, own]) => {
      const theirs = reference.paths[path]?.[method];
      return theirs === undefined ? [] : [{ id: own.operationId ?? '', theirs, own }];
    }),
  );

  it('[VER-MATRIX-02] has every operation of it', () => {
    const all = Object.entries(reference.paths).flatMap(([path, methods]) =>
      METHODS.filter((method) => methods[method] !== undefined).map((method) => `${method} ${path}`),
    );
    const missing = all.filter((row) => {
      const [method = '', path = ''] = row.split(' ');
      return ours.paths[path]?.[method] === undefined;
    });
    expect(all).toHaveLength(OPERATIONS_IN[version]);
    expect(missing).toEqual([]);
  });

  it.each(rows)(
    '[VER-MATRIX-02] $id takes what the reference lets a client send, and answers what it lets one expect',
    ({ id, theirs, own }) => {
      const comparison = new Comparison(reference, ours);
      comparison.operation(id, theirs, own);
      expect(own.operationId).toBe(theirs.operationId);
      expect(comparison.problems.filter((problem) => !(problem in exceptions))).toEqual([]);
    },
  );

  it('has no exception that is not needed', () => {
    const found = rows.flatMap(({ id, theirs, own }) => {
      const comparison = new Comparison(reference, ours);
      comparison.operation(id, theirs, own);
      return comparison.problems;
    });
    expect(Object.keys(exceptions).filter((name) => !found.includes(name))).toEqual([]);
  });

  it('finds a field that is missing, demanded, or of another kind', () => {
    const own = structuredClone(rows.find((row) => row.id === 'submitTask')?.own);
    const theirs = structuredClone(rows.find((row) => row.id === 'submitTask')?.theirs);
    if (own === undefined || theirs === undefined) throw new Error('submitTask is not shared');
    own.parameters = [{ name: 'extra', in: 'query', required: true }];
    const response = { content: { 'application/json': { schema: { type: 'object', properties: {} } } } };
    own.responses = { '200': response, '202': response };
    const comparison = new Comparison(reference, ours);
    comparison.operation('submitTask', theirs, own);
    expect(comparison.problems).toContain('submitTask: parameter header Idempotency-Key missing');
    expect(comparison.problems).toContain('submitTask: parameter query extra demanded');
    expect(comparison.problems).toContain('submitTask: response.status required');
    expect(comparison.problems).toContain('submitTask: response default missing');
  });
});
