import { Checkbox, JsonInput, NumberInput, Select, Stack, TagsInput, TextInput } from '@mantine/core';

/** The part of JSON Schema that a form is made of. */
interface Shape {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  oneOf?: { const?: unknown; title?: string }[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Shape>;
  required?: string[];
  items?: Shape;
}

/** What a form has come to: the values of its fields, and the texts that are no JSON yet. */
export interface Filled {
  values: Readonly<Record<string, unknown>>;
  wrong: readonly string[];
}

export const fieldsOf = (schema: unknown): [string, Shape][] =>
  Object.entries((schema as Shape | null | undefined)?.properties ?? {});

/** What the fields hold before anybody has written: the defaults of the schema. */
export function blank(schema: unknown): Filled {
  const given = fieldsOf(schema).filter(([, { default: first }]) => first !== undefined);
  return { values: Object.fromEntries(given.map(([name, of]) => [name, of.default])), wrong: [] };
}

/** Required fields that hold nothing, and those that hold no JSON. */
export function gapsOf(schema: unknown, { values, wrong }: Filled): string[] {
  const { required = [] } = (schema ?? {}) as Shape;
  return [...required.filter((name) => values[name] === undefined || values[name] === ''), ...wrong];
}

/** Fields of a JSON Schema of an object; what no simple field fits is written as JSON. */
export function SchemaForm({
  schema,
  filled,
  onFill,
}: {
  schema: unknown;
  filled: Filled;
  onFill: (filled: Filled) => void;
}) {
  const { required = [] } = (schema ?? {}) as Shape;
  const put = (name: string, value: unknown, isWrong = false) => {
    const { [name]: _, ...rest } = filled.values;
    const wrong = filled.wrong.filter((other) => other !== name);
    onFill({
      values: value === undefined ? rest : { ...rest, [name]: value },
      wrong: isWrong ? [...wrong, name] : wrong,
    });
  };
  return (
    <Stack gap="xs">
      {fieldsOf(schema).map(([name, of]) => (
        <Field
          key={name}
          name={name}
          of={of}
          isRequired={required.includes(name)}
          value={filled.values[name]}
          put={(value, isWrong) => put(name, value, isWrong)}
        />
      ))}
    </Stack>
  );
}

function Field({
  name,
  of,
  isRequired,
  value,
  put,
}: {
  name: string;
  of: Shape;
  isRequired: boolean;
  value: unknown;
  put: (value: unknown, isWrong?: boolean) => void;
}) {
  const said = { label: of.title ?? name, description: of.description, withAsterisk: isRequired };
  const [type] = [of.type].flat();
  const choices =
    of.enum?.map((each) => ({ value: String(each), label: String(each) })) ??
    of.oneOf
      ?.filter((each) => each.const !== undefined)
      .map((each) => ({ value: String(each.const), label: each.title ?? String(each.const) }));
  if (choices !== undefined && choices.length > 0)
    return (
      <Select
        {...said}
        data={choices}
        value={value === undefined ? null : String(value)}
        onChange={(chosen) =>
          put(chosen === null ? undefined : (of.enum?.find((each) => String(each) === chosen) ?? chosen))
        }
        clearable={!isRequired}
      />
    );
  if (type === 'boolean')
    return (
      <Checkbox
        label={said.label}
        description={said.description}
        checked={value === true}
        onChange={({ currentTarget }) => put(currentTarget.checked)}
      />
    );
  if (type === 'number' || type === 'integer')
    return (
      <NumberInput
        {...said}
        {...(of.minimum === undefined ? {} : { min: of.minimum })}
        {...(of.maximum === undefined ? {} : { max: of.maximum })}
        allowDecimal={type === 'number'}
        value={typeof value === 'number' ? value : ''}
        onChange={(given) => put(typeof given === 'number' ? given : undefined)}
      />
    );
  if (type === 'string')
    return (
      <TextInput
        {...said}
        value={typeof value === 'string' ? value : ''}
        onChange={({ currentTarget }) => put(currentTarget.value === '' ? undefined : currentTarget.value)}
      />
    );
  if (type === 'array' && of.items?.type === 'string' && of.items.enum === undefined)
    return (
      <TagsInput
        {...said}
        placeholder="Enter takes each"
        value={Array.isArray(value) ? value.map(String) : []}
        onChange={(given) => put(given.length === 0 && !isRequired ? undefined : given)}
      />
    );
  return (
    <JsonInput
      {...said}
      label={`${said.label} (JSON)`}
      autosize
      minRows={2}
      validationError="This is no JSON yet."
      defaultValue={value === undefined ? '' : JSON.stringify(value, undefined, 2)}
      onChange={(text) => {
        if (text.trim() === '') return put(undefined);
        try {
          put(JSON.parse(text));
        } catch {
          put(undefined, true);
        }
      }}
    />
  );
}
