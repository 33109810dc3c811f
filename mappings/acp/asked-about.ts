import { commandOf } from '#protocol/asked-target.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject, objectOf, objectsOf, textOf } from '#protocol/json-shape.ts';
import type { AskedAbout, AskedThing } from '#protocol-client.ts';
import type { PermissionClass } from '#resources/permission-rule/schema.ts';
import { HOST_METHODS, type HostMethod, isHostMethod } from './host-methods.ts';

/** What the kinds of tool calls are in the words of permission rules. Spec: ACP v1, "Tool Calls", `ToolKind`. */
const CLASS_OF_TOOL_KIND = {
  read: 'read',
  search: 'read',
  edit: 'write',
  delete: 'write',
  move: 'write',
  execute: 'exec',
  fetch: 'net',
  think: 'custom',
  switch_mode: 'custom',
  other: 'custom',
} as const satisfies Record<string, PermissionClass>;

/** What an agent asks, in the words of rules. A kind that is in no table is `custom`. */
export function aboutOfAsked({ toolName, input, metadata }: AskedThing): AskedAbout {
  if (toolName !== undefined && isHostMethod(toolName)) return aboutOfHostCall(toolName, input);
  const call = objectOf(objectOf(metadata['acp'])['tool_call']);
  const kind = textOf(call['kind']) ?? '';
  const known = Object.hasOwn(CLASS_OF_TOOL_KIND, kind);
  if (!known) return {};
  const permissionClass = CLASS_OF_TOOL_KIND[kind as keyof typeof CLASS_OF_TOOL_KIND];
  return { class: permissionClass, ...targetsOf(permissionClass, call) };
}

/** Paths that the call names come before what its arguments say. */
function targetsOf(permissionClass: PermissionClass, call: JsonObject): { targets?: readonly string[] } {
  const input = isObject(call['rawInput'] as JsonValue) ? objectOf(call['rawInput']) : {};
  if (permissionClass === 'exec') return given(commandOf(input['command'], input['args']));
  if (permissionClass === 'net') return given(textOf(input['url']));
  if (permissionClass === 'custom') return {};
  // What a call changes it may show as well as name.
  const diffs = objectsOf(call['content']).filter(({ type }) => type === 'diff');
  const named = [...objectsOf(call['locations']), ...diffs].map(({ path }) => textOf(path));
  const isNamed = named.some((path) => path !== undefined && path !== '');
  return given(...(isNamed ? named : [textOf(input['path']) ?? textOf(input['file_path'])]));
}

function aboutOfHostCall(method: HostMethod, input: JsonValue | undefined): AskedAbout {
  const { path, command, args } = objectOf(input);
  const { capability, sideEffect } = HOST_METHODS[method];
  if (capability === 'terminal') return { class: 'exec', sideEffect, ...given(commandOf(command, args)) };
  return { sideEffect, ...given(textOf(path)) };
}

function given(...named: readonly (string | undefined)[]): { targets?: readonly string[] } {
  const targets = named.flatMap((target) => (target === undefined || target === '' ? [] : [target]));
  return targets.length === 0 ? {} : { targets };
}
