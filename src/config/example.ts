import { stringify } from 'yaml';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { configJsonSchema } from './schema.ts';

const HEADER = `# Every option of harn-gateway with its default. Written by the program itself: do not edit,
# copy what you need into your own file and pass it with --config. Lines behind "#" show options without a default.
# Flags beat environment variables, these beat the file, and what the file leaves out keeps its default.
`;

/** The text of \`config/gateway.example.yaml\`, made from the schema alone. The same version gives the same bytes. */
export function renderExample(): string {
  const blocks = Object.entries(membersOf(configJsonSchema()) ?? {}).map(([name, schema]) =>
    option(name, schema).join('\n'),
  );
  return `${HEADER}\n${blocks.join('\n\n')}\n`;
}

/** The lines of one option: its explanation, then its name with the default or, commented out, an example. */
function option(name: string, schema: JsonObject): string[] {
  const lines = schema.default === undefined ? commented(sample(name, schema)) : withDefault(name, schema);
  return [...explanation(schema), ...lines];
}

function withDefault(name: string, schema: JsonObject): string[] {
  const members = membersOf(schema);
  if (members) return [`${name}:`, ...indented(fields(members, option))];
  const line = `${name}: ${inline(schema.default ?? null)}`;
  return membersOf(schema.items) ? [line, ...commented(sample(name, schema))] : [line];
}

/** An option filled with the examples of its schema. */
function sample(name: string, schema: JsonObject): string[] {
  const members = membersOf(schema);
  if (members) return [`${name}:`, ...indented(fields(members, explainedSample))];
  const itemMembers = membersOf(schema.items);
  if (itemMembers) return [`${name}:`, ...indented(listItem(fields(itemMembers, explainedSample)))];
  const example = Array.isArray(schema.examples) ? schema.examples[0] : undefined;
  return [`${name}: ${inline(example ?? schema.default ?? null)}`];
}

function explainedSample(name: string, schema: JsonObject): string[] {
  return [...explanation(schema), ...sample(name, schema)];
}

function explanation({ description }: JsonObject): string[] {
  return typeof description === 'string' ? [`# ${description}`] : [];
}

type Render = (name: string, schema: JsonObject) => string[];

function fields(members: Members, render: Render): string[] {
  return Object.entries(members).flatMap(([name, schema]) => render(name, schema));
}

type Members = Record<string, JsonObject>;

/** The options of a map's schema; undefined for every other schema. */
function membersOf(schema: JsonValue | undefined): Members | undefined {
  const isSchema = typeof schema === 'object' && schema !== null && !Array.isArray(schema);
  return isSchema ? (schema.properties as Members | undefined) : undefined;
}

function inline(value: JsonValue): string {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0 }).trimEnd();
}

function indented(lines: string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

/** The explanation of the first option stands above the dash. */
function listItem(lines: string[]): string[] {
  const first = lines.findIndex((line) => !line.startsWith('#'));
  return lines.map((line, index) => {
    if (index < first) return line;
    return index === first ? `- ${line}` : `  ${line}`;
  });
}

function commented(lines: string[]): string[] {
  return lines.map((line) => `# ${line}`);
}
