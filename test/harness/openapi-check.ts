import { existsSync, readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { DEFAULT_VERSION, type VersionId } from '#protocol/versions.ts';
import type { TestAnswer } from './client.ts';

interface Described {
  responses: Record<string, { $ref?: string; content?: Record<string, { schema?: unknown }> }>;
}
interface Document {
  paths: Record<string, Record<string, Described>>;
  components: { responses?: Record<string, Described['responses'][string]> };
}

/** The document of the owner and the one that released clients are made from. */
const REFERENCES: Readonly<Record<VersionId, URL>> = {
  'agents-protocol-2026-04-25': new URL('../../../shared/spec/openapi.yaml', import.meta.url),
  'agents-protocol-2026-10-11': new URL('../../../shared/spec/openapi-2026-10-11.yaml', import.meta.url),
};

/** Checks JSON answers against the response schemas of one OpenAPI 3.1 document. */
export class OpenApiCheck {
  readonly #document: Document;
  readonly #name: string;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  readonly #compiled = new Map<string, ValidateFunction | undefined>();

  constructor(name: string, document: unknown) {
    this.#name = name;
    this.#document = document as Document;
    this.#ajv.addSchema(document as object, 'document');
  }

  /** What does not fit the document, as `<name>: <operation> <path> <reason>`. Paths it does not describe pass. */
  findings(method: string, path: string, { status, headers, body }: TestAnswer): string[] {
    if (!headers.get('content-type')?.startsWith('application/json') || method === 'HEAD') return [];
    const template = this.#templateOf(path.split('?')[0] ?? '');
    if (template === undefined) return [];
    const validate = this.#validator(template, method.toLowerCase(), status);
    if (validate === undefined || validate(body)) return [];
    const place = `${this.#name}: ${method} ${template} ${status}`;
    return (validate.errors ?? []).map(({ instancePath, message }) => `${place} ${instancePath} ${message}`);
  }

  #templateOf(path: string): string | undefined {
    const candidates = Object.keys(this.#document.paths).filter((template) => {
      const pattern = template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+');
      return new RegExp(`^${pattern}$`).test(path);
    });
    return candidates.sort((a, b) => a.split('{').length - b.split('{').length)[0];
  }

  #validator(template: string, method: string, status: number): ValidateFunction | undefined {
    const key = `${method} ${template} ${status}`;
    if (!this.#compiled.has(key)) this.#compiled.set(key, this.#compile(template, method, status));
    return this.#compiled.get(key);
  }

  #compile(template: string, method: string, status: number): ValidateFunction | undefined {
    const responses = this.#document.paths[template]?.[method]?.responses;
    if (responses === undefined) return undefined;
    const named = responses[String(status)] === undefined ? 'default' : String(status);
    const steps = ['paths', template, method, 'responses', named];
    const reference = responses[named]?.$ref;
    const at = reference === undefined ? pointer(steps) : reference;
    return this.#ajv.compile({ $ref: `document${at}/content/application~1json/schema` });
  }
}

/** The reference document of a version; undefined, and said so, where it is not beside the project. */
export function referenceDocument(version: VersionId): object | undefined {
  if (!existsSync(REFERENCES[version])) {
    console.warn(
      `skipped: nothing is checked against the reference OpenAPI document of ${version}, it is not there`,
    );
    return undefined;
  }
  return withLooseInput(parse(readFileSync(REFERENCES[version], 'utf8')));
}

/** Checks answers against the reference document of a version; undefined where it is not there. */
export function referenceCheck(version: VersionId = DEFAULT_VERSION): OpenApiCheck | undefined {
  const document = referenceDocument(version);
  return document && new OpenApiCheck('reference', document);
}

/** Choices of the reference of which one member is part of another: nothing could be exactly one of them. */
const TOO_STRICT = [
  [
    'Task.input',
    '"oneOf":[{"$ref":"#/components/schemas/Message"},{"$ref":"#/components/schemas/JsonObject"}]',
  ],
  [
    'Memory.content',
    '"oneOf":[{"type":"string"},{"$ref":"#/components/schemas/JsonObject"},{"$ref":"#/components/schemas/ArtifactRefPart"}]',
  ],
] as const;

/** Named exceptions: where the reference says `oneOf`, and every value of one kind is one of another, any is meant. */
function withLooseInput(reference: object): object {
  const text = TOO_STRICT.reduce((whole, [name, strict]) => {
    if (!whole.includes(strict))
      throw new Error(`the exception for ${name} is not needed any more; remove it`);
    return whole.replace(strict, strict.replace('oneOf', 'anyOf'));
  }, JSON.stringify(reference));
  return JSON.parse(text);
}

function pointer(steps: readonly string[]): string {
  const escaped = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')));
  return `#/${escaped.join('/')}`;
}
