// Makes the types of the client (src/client/types-*.ts) out of our OpenAPI documents, one file for each version of the protocol.
//
//   npm run client-types            writes them, after a change of what the API says
//   npm run client-types -- check   says which are not what the documents give, and ends with 1
//
// The documents are made from the sources and not from the build, which needs these types itself.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDER = 'src/client';
const isCheck = process.argv[2] === 'check';

// openapi-typescript prints with the JavaScript API of TypeScript, which version 7, our compiler, has not: it gets that of ts-morph.
const hook = "export const resolve = (name, context, next) => next(name === 'typescript' ? '@ts-morph/common/dist/typescript.js' : name, context);";
register(`data:text/javascript,${encodeURIComponent(hook)}`);
const { astToString, default: openapiTypes } = await import('openapi-typescript');
const { factory } = (await import('@ts-morph/common/dist/typescript.js')).default;
/** Bytes are Blobs, in browsers and in Node; what may be any JSON has the type of JSON. */
const transform = (schema, { path }) => {
  if (schema.format === 'binary') return factory.createTypeReferenceNode('Blob');
  return path === '#/components/schemas/JsonValue' || path?.endsWith('/JsonValue') ? factory.createTypeReferenceNode('JsonValue') : undefined;
};

const { openApiDocument, SUPPORTED_VERSIONS, versionOf } = await fromSources(
  `export { openApiDocument } from '#surfaces/discovery/openapi.ts';
   export { SUPPORTED_VERSIONS, versionOf } from '#protocol/versions.ts';`,
);
const stale = [];
for (const version of SUPPORTED_VERSIONS) {
  const file = join(FOLDER, `${version.replace('agents-protocol-', 'types-')}.ts`);
  const text = await typesOf(openApiDocument('', {}, versionOf(version)), version);
  const path = join(ROOT, file);
  if (!isCheck) writeFileSync(path, text);
  else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) stale.push(file);
}
if (stale.length > 0) {
  console.error(`${stale.join(' and ')}: not what the OpenAPI document gives. Run "npm run client-types".`);
  process.exitCode = 1;
}

async function typesOf(document, version) {
  const { ProtocolVersion: _, ...parameters } = document.components.parameters;
  const { Error: refused } = document.components.responses;
  const isSentByClient = ({ $ref }) => $ref === '#/components/parameters/ProtocolVersion';
  const takesKey = ({ $ref }) => $ref === '#/components/parameters/IdempotencyKey';
  const keyed = [];
  const paths = Object.entries(document.paths).map(([path, methods]) => [
    path,
    Object.fromEntries(
      Object.entries(methods).map(([method, operation]) => {
        if (operation.parameters.some(takesKey)) keyed.push(`${method.toUpperCase()} ${path}`);
        // A refusal is thrown, and has one type whichever its status.
        const responses = Object.fromEntries(Object.entries(operation.responses).filter(([, { $ref }]) => !/Refused\d+$/.test($ref ?? '')));
        for (const response of Object.values(responses)) delete response.links;
        return [method, { ...operation, responses, parameters: operation.parameters.filter((each) => !isSentByClient(each)) }];
      }),
    ),
  ]);
  const asked = { ...document, paths: Object.fromEntries(paths), components: { ...document.components, parameters, responses: { Error: refused } } };
  const types = astToString(await openapiTypes(withJson(structuredClone(asked)), { alphabetize: true, defaultNonNullable: false, transform }));
  return `// Made by \`npm run client-types\` from the OpenAPI document of ${version}.

/** The operations that take an Idempotency-Key. */
export const KEYED: ReadonlySet<string> = new Set(${JSON.stringify(keyed.sort(), undefined, 2)});

/** Any JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue };

${types}`;
}

/** What is not described is JSON; openapi-typescript would call it unknown. */
function withJson(node) {
  if (typeof node !== 'object' || node === null) return node;
  for (const member of ['additionalProperties', 'items']) {
    const any = node[member];
    if (any === true || (typeof any === 'object' && Object.keys(any).length === 0)) node[member] = { $ref: '#/components/schemas/JsonValue' };
  }
  for (const below of Object.values(node)) withJson(below);
  return node;
}

/** What a module made of our sources exports. */
async function fromSources(contents) {
  const ours = {
    name: 'ours',
    setup: ({ onResolve }) => onResolve({ filter: /^#/ }, ({ path }) => ({ path: resolve(ROOT, 'src', path.slice(1)) })),
  };
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    stdin: { contents, resolveDir: ROOT },
    outfile: 'client-types.js',
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    plugins: [ours],
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('/');" },
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}
