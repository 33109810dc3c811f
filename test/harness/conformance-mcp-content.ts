/** What the fixture servers of both eras have in common: the content that the conformance suite of MCP asks for. */
export type Json = Record<string, unknown>;

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA==';
export const IMAGE = { type: 'image', data: PNG, mimeType: 'image/png' };
export const text = (value: string) => ({ type: 'text', text: value });
const resource = (uri: string, mimeType: string, value: string) => ({
  type: 'resource',
  resource: { uri, mimeType, text: value },
});
export const said = (...content: object[]) => ({ content });

/** The tools whose result is always the same, by name. */
export const STATIC_TOOLS: Readonly<Record<string, object>> = {
  test_simple_text: said(text('This is a simple text response for testing.')),
  test_image_content: said(IMAGE),
  test_audio_content: said({ type: 'audio', data: WAV, mimeType: 'audio/wav' }),
  test_embedded_resource: said(
    resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ),
  test_multiple_content_types: said(
    text('Multiple content types test:'),
    IMAGE,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ),
  test_error_handling: {
    ...said(text('This tool intentionally returns an error for testing')),
    isError: true,
  },
};

export const RESOURCES: Record<string, object> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PNG },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched resource content' },
};

const user = (content: object) => ({ role: 'user', content });
const argument = (name: string) => ({ name, required: true });
export const PROMPTS: Record<string, { arguments?: object[]; get(given: Json): object[] }> = {
  test_simple_prompt: { get: () => [user(text('This is a simple prompt for testing.'))] },
  test_prompt_with_arguments: {
    arguments: [argument('arg1'), argument('arg2')],
    get: ({ arg1, arg2 }) => [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  },
  test_prompt_with_embedded_resource: {
    arguments: [argument('resourceUri')],
    get: ({ resourceUri }) => [
      user(resource(String(resourceUri), 'text/plain', 'Embedded resource content for testing.')),
      user(text('Please process the embedded resource above.')),
    ],
  },
  test_prompt_with_image: { get: () => [user(IMAGE), user(text('Please analyze the image above.'))] },
};

/** What a URI holds; undefined for one that names nothing. */
export function contentOf(uri: string): object | undefined {
  const template = /^test:\/\/template\/([^/]+)\/data$/.exec(uri);
  return template
    ? { mimeType: 'application/json', text: JSON.stringify({ id: template[1], templateTest: true }) }
    : RESOURCES[uri];
}

export const TEMPLATES = [
  { uriTemplate: 'test://template/{id}/data', name: 'template', description: 'Template' },
];

/** A tool whose schema has what JSON Schema 2020-12 has and older dialects have not; every keyword has to survive. */
export const SCHEMA_TOOL = {
  name: 'json_schema_2020_12_tool',
  description: 'Tool with JSON Schema 2020-12 features',
  inputSchema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object' as const,
    $defs: {
      address: {
        $anchor: 'addressDef',
        type: 'object',
        properties: { street: { type: 'string' }, city: { type: 'string' } },
      },
    },
    properties: {
      name: { type: 'string' },
      address: { $ref: '#/$defs/address' },
      contactMethod: { type: 'string', enum: ['phone', 'email'] },
      phone: { type: 'string' },
      email: { type: 'string' },
    },
    allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
    if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
    // Not written out, because an object with a member of this name passes for a promise.
    ...JSON.parse('{"then": {"required": ["phone"]}}'),
    else: { required: ['email'] },
    additionalProperties: false,
  },
};
