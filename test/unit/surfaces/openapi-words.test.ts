import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { SUPPORTED_VERSIONS, versionOf } from '#protocol/versions.ts';
import { EVENT_PAYLOADS } from '#resources/event-payloads.ts';
import { loadExamples } from '#resources/load-examples.ts';
import { OPERATIONS } from '#resources/operations.ts';
import { openApiDocument } from '#surfaces/discovery/openapi.ts';
import { SPECIFIED } from '#surfaces/discovery/openapi-words.ts';

const examples = await loadExamples();
const documentOf = (version: (typeof SUPPORTED_VERSIONS)[number]) =>
  openApiDocument('0.1.0', examples, versionOf(version));

/** A WebSocket is opened with 101, which the linter does not know. */
const SWITCHES = 'operation-success-response paths./v1/ws.get.responses';

/** Members of schemas of which nothing is said, as `Schema.member`. */
function unsaid(value: JsonValue | undefined, at: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => unsaid(item, at));
  return Object.entries(value).flatMap(([key, member]) => {
    if (['example', 'examples', 'enum', 'default'].includes(key)) return [];
    const own =
      key !== 'properties'
        ? []
        : Object.entries(member as JsonObject).flatMap(([name, schema]) =>
            (schema as JsonObject)['description'] ? [] : [`${at}.${name}`],
          );
    return [...own, ...unsaid(member, at)];
  });
}

/** Everything of a document that has no description. */
function silent(document: JsonObject): string[] {
  const { schemas, parameters, responses } = document['components'] as Record<
    string,
    Record<string, JsonObject>
  >;
  const operations = Object.values(document['paths'] as Record<string, Record<string, JsonObject>>).flatMap(
    (methods) => Object.values(methods),
  );
  const nameless = (names: Record<string, JsonObject> = {}) =>
    Object.entries(names).flatMap(([name, { description }]) => (description ? [] : [name]));
  return [
    ...nameless(schemas),
    ...nameless(parameters),
    ...nameless(responses),
    ...Object.entries(schemas ?? {}).flatMap(([name, schema]) =>
      name in SPECIFIED ? [] : unsaid(schema, name),
    ),
    ...operations.flatMap((operation) => {
      const id = String(operation['operationId']);
      const given = operation['parameters'] as JsonObject[];
      return [
        ...(operation['description'] ? [] : [id]),
        ...given.flatMap(({ $ref, name, description }) =>
          $ref || description ? [] : [`${id} ${String(name)}`],
        ),
        ...unsaid(operation['requestBody'], id),
        ...unsaid(operation['responses'], id),
      ];
    }),
  ];
}

describe.each(SUPPORTED_VERSIONS)('the OpenAPI document of %s', (version) => {
  const document = documentOf(version);
  const operations = Object.values(document['paths'] as Record<string, Record<string, JsonObject>>).flatMap(
    (methods) => Object.values(methods),
  );

  it('says something of every operation, parameter, shape and member', () => {
    expect(silent(document)).toEqual([]);
    expect(operations).toHaveLength(Object.keys(OPERATIONS).length);
  });

  it('passes the linter', async () => {
    const linter = new spectral.Spectral();
    linter.setRuleset({
      extends: [[rulesets.oas as never, 'recommended']],
      rules: { 'info-contact': 'off', 'oas3-unused-component': 'off' },
    } as never);
    const found = await linter.run(document as never);
    expect(
      found
        .map(({ code, path, message }) => `${code} ${path.join('.')} ${message}`)
        .filter((each) => !each.startsWith(SWITCHES)),
    ).toEqual([]);
  }, 120_000);

  it('has the refusals of each operation by status, with the codes of the table', () => {
    const { responses } = document['components'] as { responses: Record<string, { description: string }> };
    for (const [code, { status }] of Object.entries(ERROR_CODES))
      if (status !== 499) expect(responses[`Refused${status}`]?.description).toContain(`\`${code}\``);
    for (const operation of operations) {
      const statuses = Object.keys(operation['responses'] as object);
      expect(statuses, String(operation['operationId'])).toEqual(
        expect.arrayContaining(['400', '429', '500', '503']),
      );
      if ((operation['security'] as unknown[]).length > 0)
        expect(statuses).toEqual(expect.arrayContaining(['401', '403', '426']));
    }
  });

  it('lists the kinds of Events with their payloads, the moves of a Task, and how its agent is chosen', () => {
    const { schemas } = document['components'] as { schemas: Record<string, { properties: object }> };
    expect(Object.keys(schemas['EventPayloads']?.properties ?? {})).toEqual(Object.keys(EVENT_PAYLOADS));
    const { description } = document['info'] as { description: string };
    expect(description).toContain('SUBMITTED → WORKING, CANCELED, FAILED');
    for (const word of ['metadata.route', 'entry_workflow', 'routing.default'])
      expect(description).toContain(word);
  });

  it('marks what a query has to have, and leads from an answer to what can be done with it', () => {
    const find = (id: string) => operations.find(({ operationId }) => operationId === id);
    const required = (id: string) =>
      ((find(id)?.['parameters'] ?? []) as { name?: string; in?: string; required?: boolean }[])
        .filter((parameter) => parameter.in === 'query' && parameter.required === true)
        .map(({ name }) => name);
    expect(required('getReceiptLogInclusion')).toEqual(['receipt_id']);
    expect(required('getReceiptLogConsistency')).toEqual(['first']);
    expect(required('listTasks')).toEqual([]);
    const { links } =
      Object.values(find('submitTask')?.['responses'] as Record<string, { links?: object }>)[0] ?? {};
    expect(links).toMatchObject({
      getTask: { operationId: 'getTask', parameters: { task_id: '$response.body#/id' } },
    });
    expect(Object.keys(links ?? {})).toEqual(
      expect.arrayContaining(['cancelTask', 'streamTaskEvents', 'replayTask']),
    );
  });

  it('has the ways to authenticate that are configured', () => {
    const issuers = [
      { issuer: 'https://login.example.com/', audience: ['https://gateway.example.com'], scopes: [] },
    ];
    const configured = openApiDocument('0.1.0', examples, versionOf(version), {
      issuers,
      dpopAlgorithms: ['ES256'],
    });
    const { securitySchemes } = configured['components'] as { securitySchemes: JsonObject };
    expect(securitySchemes).toMatchObject({
      issuer1: {
        type: 'openIdConnect',
        openIdConnectUrl: 'https://login.example.com/.well-known/openid-configuration',
      },
    });
    expect(configured['security']).toEqual([{ bearerAuth: [] }, { issuer1: [] }]);
    expect(document['security']).toEqual([{ bearerAuth: [] }]);
  });
});

it('finds what nothing is said of', () => {
  const schemas = { Odd: { type: 'object', properties: { odd: { type: 'string' } } } };
  const operation = { operationId: 'odd', parameters: [{ name: 'odd', in: 'query' }], responses: {} };
  const document = {
    components: { schemas, parameters: {}, responses: {} },
    paths: { '/odd': { get: operation } },
  };
  expect(silent(document)).toEqual(['Odd', 'Odd.odd', 'odd', 'odd odd']);
});
