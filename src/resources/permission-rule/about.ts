import { type PermissionAbout, RISK_OF_CLASS } from '#policy/permission.ts';
import { commandOf, hostOf, plainPath } from '#protocol/asked-target.ts';
import type { SideEffectClass } from '#protocol/autonomy.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, objectOf, textOf } from '#protocol/json-shape.ts';
import type { AskedAbout, AskedThing } from '#protocol-client.ts';
import type { PermissionDraft } from '#resources/permission/draft.ts';
import type { PermissionRequest } from '#resources/permission/schema.ts';
import type { PermissionClass } from './schema.ts';

/** What the side-effect classes of tools, and whole runs of agents, are in the words of rules. */
const CLASS_OF_SIDE_EFFECT = {
  read: 'read',
  read_external: 'net',
  write_idempotent: 'write',
  write: 'write',
  destructive: 'write',
  delegate: 'custom',
} as const satisfies Record<SideEffectClass, PermissionClass>;

/** What a question is about, in the words of rules; `described`: what the bridge of its agent knows better. */
export function aboutOf(asked: AskedThing, described: AskedAbout): PermissionAbout {
  const gate = gateOf(asked.metadata);
  const sideEffect = gate.sideEffect ?? described.sideEffect;
  const held = sideEffect === undefined ? 'custom' : CLASS_OF_SIDE_EFFECT[sideEffect];
  const permissionClass = described.class ?? held;
  const action = gate.action ?? textOf(asked.action) ?? asked.toolName ?? asked.kind;
  const targets = described.targets ?? targetsIn(permissionClass, asked.input);
  const [target = action, ...others] = new Set(targets.map((text) => plainTarget(permissionClass, text)));
  return {
    class: permissionClass,
    action,
    target,
    ...boundedOthers(others),
    risk: sideEffect === 'destructive' ? 'critical' : RISK_OF_CLASS[permissionClass],
  };
}

/** Further targets that are judged one by one, and their characters: an agent may name any number of them. */
const MAX_OTHERS = 256;
const MAX_OTHER_CHARS = 8_192;

function boundedOthers(targets: readonly string[]): Pick<PermissionAbout, 'others' | 'hasMore'> {
  if (targets.length === 0) return {};
  let left = MAX_OTHER_CHARS;
  const others = targets.slice(0, MAX_OTHERS).filter((target) => {
    left -= target.length;
    return left >= 0;
  });
  return { others, ...(others.length < targets.length ? { hasMore: true } : {}) };
}

/** What the gateway itself said of a call that it held back. */
function gateOf(metadata: JsonObject): { action?: string; sideEffect?: SideEffectClass } {
  const policy = objectOf(metadata['policy']);
  const action = textOf(objectOf(policy['bound_to'])['action']);
  const told = textOf(policy['side_effect']) ?? textOf(policy['rule'])?.split('.').at(-1) ?? '';
  return {
    ...(action === undefined ? {} : { action }),
    ...(isSideEffect(told) ? { sideEffect: told } : {}),
  };
}

function isSideEffect(text: string): text is SideEffectClass {
  return Object.hasOwn(CLASS_OF_SIDE_EFFECT, text);
}

/** Members of arguments that name what is reached, by the class of the call. */
const PATHS = ['path', 'file_path', 'uri', 'paths', 'source', 'destination'];
const COMMANDS = ['command', 'cmd'];
const ADDRESSES = ['url', 'uri', 'host', 'urls'];

function targetsIn(permissionClass: PermissionClass, input: JsonValue | undefined): readonly string[] {
  if (input === undefined || !isObject(input)) return [];
  const texts = (names: readonly string[]) =>
    names
      .flatMap((name) => input[name] ?? [])
      .flatMap((value) => (typeof value === 'string' && value !== '' ? [value] : []));
  switch (permissionClass) {
    case 'read':
    case 'write':
      return texts(PATHS);
    case 'exec':
      return commandIn(input);
    case 'net':
      return texts(ADDRESSES);
    case 'llm':
    case 'custom':
      return [];
  }
}

function commandIn(input: JsonObject): readonly string[] {
  const named = COMMANDS.map((name) => input[name]).find((value) => value !== undefined);
  const command = commandOf(named, input['args']);
  return command === undefined ? [] : [command];
}

/** The form in which a target is judged, whoever names it: what is asked before is answered as what is done. */
export function plainTarget<Text extends string>(permissionClass: PermissionClass, target: Text): Text {
  return PLAIN[permissionClass](target) as Text;
}

const asItIs = (target: string) => target;

const PLAIN: Readonly<Record<PermissionClass, (target: string) => string>> = {
  read: plainPath,
  write: plainPath,
  exec: asItIs,
  net: hostOf,
  llm: asItIs,
  custom: asItIs,
};

/** Marks of the redactor, in what is kept of a text that had a secret in it. */
const MARKS = /<redacted:[^>]*>|\[redacted\]/;

/** What had a secret in it is shown to nobody, and so it is allowed by nobody who is not asked. */
export function hasSecret({
  action,
  target,
  others = [],
}: Pick<PermissionAbout, 'action' | 'target' | 'others'>): boolean {
  return [action, target, ...others].some((text) => MARKS.test(text));
}

/**
 * The answer of a form that only wants a yes: one without members, or with a single one that is true or false. Undefined for every
 * other form: what somebody would write there, no rule knows.
 */
export function yesTo(schema: JsonValue | undefined): Record<string, true> | undefined {
  if (schema === undefined || !isObject(schema)) return undefined;
  const members = Object.entries(objectOf(schema['properties']));
  const [first] = members;
  if (first === undefined) return {};
  const [name, member] = first;
  const isYes = members.length === 1 && objectOf(member)['type'] === 'boolean';
  return isYes ? { [name]: true } : undefined;
}

/** A request that was made, with what its task has bound. */
export function askedInRequest(
  { action, request, metadata }: Pick<PermissionRequest, 'action' | 'request' | 'metadata'>,
  binding: JsonObject | null,
): AskedThing {
  const { kind, tool_call } = request;
  return { kind, action, toolName: tool_call?.name, input: tool_call?.input, metadata, binding };
}

/** A question that is about to become a request. */
export function askedInDraft(draft: PermissionDraft, binding: JsonObject | null): AskedThing {
  const { kind, metadata = {} } = draft;
  const call = draft.kind === 'tool' ? draft.toolCall : undefined;
  const action = draft.action ?? call?.name ?? kind;
  return { kind, action, toolName: call?.name, input: call?.input, metadata, binding };
}
