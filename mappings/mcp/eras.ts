import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { isObject } from '#protocol/json-shape.ts';

/** A request that a client makes in either era, with sessions (2025-11-25 and older) or without (2026-07-28). */
export interface SharedMethod {
  /** Capability of the server without which nobody asks. */
  readonly capability: string;
  /** Its result says how long it may be kept; servers with sessions do not say. Spec: MCP 2026-07-28, "Caching". */
  readonly isCacheable: boolean;
  /** A server may ask its client something before it answers: of itself, or in a result without sessions. */
  readonly mayAsk: boolean;
}

/** What is asked in both eras by the same name. All other requests are those of one era. */
export const SHARED_METHODS = {
  'tools/list': { capability: 'tools', isCacheable: true, mayAsk: false },
  'tools/call': { capability: 'tools', isCacheable: false, mayAsk: true },
  'resources/list': { capability: 'resources', isCacheable: true, mayAsk: false },
  'resources/templates/list': { capability: 'resources', isCacheable: true, mayAsk: false },
  'resources/read': { capability: 'resources', isCacheable: true, mayAsk: true },
  'prompts/list': { capability: 'prompts', isCacheable: true, mayAsk: false },
  'prompts/get': { capability: 'prompts', isCacheable: false, mayAsk: true },
  'completion/complete': { capability: 'completions', isCacheable: false, mayAsk: false },
} as const satisfies Record<string, SharedMethod>;

export type SharedMethodName = keyof typeof SHARED_METHODS;

/** Undefined for a request of one era alone, and for an unknown one. */
export function sharedMethod(method: string): SharedMethod | undefined {
  return Object.hasOwn(SHARED_METHODS, method) ? SHARED_METHODS[method as SharedMethodName] : undefined;
}

/** What a client offers to be asked for; all of it has the same shape in both eras. */
export const ASKABLE = ['elicitation', 'roots', 'sampling'] as const;

/** Capabilities of a server that mean the same in both eras. The tasks of 2025-11-25 and extensions are those of one. */
export const SHARED_CAPABILITIES = [
  'completions',
  'experimental',
  'logging',
  'prompts',
  'resources',
  'tools',
] as const;

/** The members of an object that are named. */
export function only(given: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
}

/** A result of a server with sessions as clients without want it: every one says what it is, and some how long it holds. */
export function resultWithoutSession(method: string, result: JsonObject): JsonObject {
  const cached = sharedMethod(method)?.isCacheable ? { ttlMs: 0, cacheScope: 'private' } : {};
  return { resultType: 'complete', ...cached, ...result };
}

/**
 * The pages that a server with sessions wants opened before it is asked again, by the data of its error, as a result without
 * sessions asks for them. Loses their ids. Spec: MCP 2025-11-25, "URL Elicitation Required Error".
 */
export function askedPages(data: JsonValue | undefined): JsonObject {
  const elicitations = isObject(data) ? data['elicitations'] : undefined;
  const pages = (Array.isArray(elicitations) ? elicitations : []).filter(isObject);
  return Object.fromEntries(
    pages.map(({ elicitationId, ...params }, at) => [
      `page_${at + 1}`,
      { method: 'elicitation/create', params: { ...params, mode: 'url' } },
    ]),
  );
}

/** Outputs that are no objects stand in a member of one, in results and in their schemas. */
const WRAPPED = 'result';

/**
 * A result of a server without sessions as clients with one want it. Loses how long it holds; an output that is no object
 * becomes the member `result` of one. Spec: MCP 2025-11-25, "Structured Content".
 */
export function resultForSession(method: string, result: JsonObject): JsonObject {
  const { resultType, ttlMs, cacheScope, ...known } = result;
  if (method === 'tools/list' && Array.isArray(known['tools']))
    return { ...known, tools: known['tools'].map(toolForSession) };
  if (method !== 'tools/call' || known['structuredContent'] === undefined) return known;
  const { structuredContent } = known;
  return isObject(structuredContent)
    ? known
    : { ...known, structuredContent: { [WRAPPED]: structuredContent } };
}

function toolForSession(tool: JsonValue): JsonValue {
  if (!isObject(tool)) return tool;
  const { outputSchema } = tool;
  if (!isObject(outputSchema) || outputSchema['type'] === 'object') return tool;
  const wrapped = { type: 'object', properties: { [WRAPPED]: outputSchema }, required: [WRAPPED] };
  return { ...tool, outputSchema: wrapped };
}
