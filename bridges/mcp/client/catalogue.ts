import type { JudgedTool } from '#protocol/intended-call.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';
import { objectOf } from '#protocol/json-shape.ts';
import { skillIdOf } from '#protocol/skill-id.ts';
import type { AgentDescription } from '#protocol-client.ts';
import type { BridgeDeps, PinnedDefinition } from '../../bridge.ts';
import { Fault } from '../../wire/faults.ts';
import { sha256 } from '../../wire/sha256.ts';
import { FIXED_LIMITS, type McpClientConfig, type McpLimits } from './config.ts';
import type { Connection } from './connection.ts';
import {
  describeTool,
  headerFault,
  holdReason,
  isAllowed,
  judgedUnknown,
  type Tool,
  toolOf,
  visibleText,
} from './tools.ts';

type Definitions = BridgeDeps['definitions'];
export type ToolChange = Parameters<Definitions['report']>[1][number];

/**
 * The tools of one server as last listed, each pinned to the definition that was seen first. A server that is asked on
 * several connections may list others on each: all of them are tools, by the definition that was listed last.
 */
export class Catalogue {
  readonly #route: string;
  readonly #config: McpClientConfig;
  readonly #limits: McpLimits;
  readonly #deps: BridgeDeps;
  #tools = new Map<string, Tool>();
  /** Names of tools by their Skills. */
  #named = new Map<string, string>();
  /** Definitions that others than the gateway were given since. */
  readonly #seen = new Map<string, Tool>();
  /** Listed tools that no client may use. */
  readonly #unusable = new Set<string>();
  /** What each open connection listed last, the newest at the end. */
  readonly #lists = new Map<Connection, ReadonlyMap<string, Tool>>();
  #description: AgentDescription | undefined;
  /** Lists that are about to be read, by the connection that notified of a change; `undefined` is the one that is kept. */
  readonly #soon = new Map<unknown, unknown>();

  constructor(route: string, config: McpClientConfig, limits: McpLimits, deps: BridgeDeps) {
    this.#route = route;
    this.#config = config;
    this.#limits = limits;
    this.#deps = deps;
  }

  get description(): AgentDescription | undefined {
    return this.#description;
  }

  /** A tool by its own name, or as its Skill is called; one that is gone is none. */
  find(name: string): Tool | undefined {
    const prefix = `${this.#config.id}__`;
    const own = this.#named.get(name) ?? (name.startsWith(prefix) ? name.slice(prefix.length) : undefined);
    const found = this.#tools.get(name) ?? (own === undefined ? undefined : this.#tools.get(own));
    return found?.isGone ? undefined : found;
  }

  /**
   * What the policy judges of a tool that is passed through; undefined for one that the operator closed. `onNews` is called
   * when the definition is another one than was listed last: until the list is read again it is the one that counts.
   */
  judged(name: string, definition?: JsonValue, onNews?: () => void): JudgedTool | undefined {
    if (!isAllowed(name, this.#config) || this.#unusable.has(name)) return undefined;
    const known = this.#seen.get(name) ?? this.#tools.get(name);
    const listed =
      definition === undefined ? undefined : toolOf(definition, this.#config, this.#deps.canonicalJson);
    if (known !== undefined && listed !== undefined && listed.definitionSha256 !== known.definitionSha256) {
      this.#seen.set(name, { ...listed, pinnedSha256: known.pinnedSha256 });
      onNews?.();
    }
    const pinned = known?.pinnedSha256 ?? listed?.definitionSha256;
    const tool = listed && pinned !== undefined ? { ...listed, pinnedSha256: pinned } : known;
    if (tool === undefined) return judgedUnknown(name, this.#config);
    const hold = holdReason(tool, this.#config);
    const { sideEffect, isDeclared } = tool;
    return { sideEffect, isDeclared, ...(hold === undefined ? {} : { hold }) };
  }

  /** The definition as it is now is the one to be held to from here on. */
  accept(tool: Tool): void {
    if (tool.pinnedSha256 === tool.definitionSha256) return;
    tool.pinnedSha256 = tool.definitionSha256;
    tool.pinned = undefined;
    this.#seen.delete(tool.name);
    this.#report([this.#changeOf(tool, 'accepted')]);
    this.#describe();
  }

  /** Reads all pages of the list. Rejects with a Fault or an RpcError; the list then stays as it was. */
  async refresh(connection: Connection): Promise<void> {
    const listed = new Map<string, Tool>();
    const all = await this.#list(connection);
    this.#unusable.clear();
    for (const raw of all) {
      const named = toolOf(raw, this.#config, this.#deps.canonicalJson);
      // Who calls a tool says its name, which can then not be hidden from them.
      const tool = named !== undefined && this.#deps.redact(named.name).hit ? undefined : named;
      if (tool !== undefined && this.#isUnusable(tool, connection)) continue;
      if (tool === undefined || listed.has(tool.name)) {
        this.#deps.logger.warn({ server: this.#config.id }, 'a listed tool has no usable name, or one twice');
      } else if (isAllowed(tool.name, this.#config)) listed.set(tool.name, tool);
    }
    this.#seen.clear();
    for (const known of this.#lists.keys())
      if (known === connection || known.isClosed) this.#lists.delete(known);
    this.#lists.set(connection, listed);
    this.#take(new Map([...this.#lists.values()].flatMap((tools) => [...tools])));
    this.#describe(connection);
  }

  /** The connection is over; true when it had listed tools, which others may not have. */
  forget(connection: Connection): boolean {
    return this.#lists.delete(connection);
  }

  /** Headers are of Streamable HTTP and of the revision without sessions; elsewhere nobody reads what is said of them. */
  #isUnusable({ name, inputSchema }: Tool, { isStateless }: Connection): boolean {
    const { id: server, url } = this.#config;
    const fault = isStateless && url !== undefined ? headerFault(inputSchema) : undefined;
    if (fault === undefined) return false;
    this.#unusable.add(name);
    this.#deps.logger.warn({ server, tool: name, fault }, 'a listed tool may not be used');
    return true;
  }

  /** Reads the list once in a while, however often it changes meanwhile: that of the kept connection, or of another one. */
  refreshSoon(connect: () => Promise<Connection>, other?: object): void {
    if (this.#soon.has(other)) return;
    const timer = this.#deps.timers.setTimeout(() => {
      this.#soon.delete(other);
      connect()
        .then((connection) => this.refresh(connection))
        .catch((error: unknown) =>
          this.#deps.logger.warn({ server: this.#config.id, err: error }, 'tools were not listed again'),
        );
    }, FIXED_LIMITS.relistMs);
    this.#soon.set(other, timer);
  }

  close(): void {
    for (const timer of this.#soon.values()) this.#deps.timers.clearTimeout(timer);
  }

  async #list(connection: Connection): Promise<JsonValue[]> {
    if (connection.capabilities['tools'] === undefined) return [];
    const tools: JsonValue[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < FIXED_LIMITS.maxPages; page += 1) {
      const result = await connection.request('tools/list', cursor === undefined ? {} : { cursor }, {
        signal: new AbortController().signal,
        idleTimeoutMs: this.#limits.connect_timeout_ms,
        totalTimeoutMs: this.#limits.connect_timeout_ms,
      });
      if (Array.isArray(result['tools'])) tools.push(...result['tools']);
      if (tools.length > FIXED_LIMITS.maxTools) break;
      const { nextCursor } = result;
      if (typeof nextCursor !== 'string') return tools;
      cursor = nextCursor;
    }
    throw new Fault('payload_too_large', 'The server lists more tools than the gateway takes.');
  }

  /** Compares with what is pinned, in this process and in the log, and reports what is new, changed or gone. */
  #take(listed: Map<string, Tool>): void {
    const changes: ToolChange[] = [];
    for (const tool of listed.values()) {
      const before = this.#tools.get(tool.name);
      const pinned = this.#pinned(before) ?? this.#deps.definitions.pinned(this.#route, tool.name);
      if (pinned === undefined) changes.push(this.#changeOf(tool, 'added'));
      else {
        tool.pinnedSha256 = pinned.sha256;
        tool.pinned = pinned.shown;
      }
      const isNews = before !== undefined && before.definitionSha256 !== tool.definitionSha256;
      if (isNews || (before === undefined && tool.pinnedSha256 !== tool.definitionSha256))
        changes.push(this.#changeOf(tool, 'changed'));
    }
    for (const tool of this.#tools.values()) {
      if (listed.has(tool.name)) continue;
      if (!tool.isGone) changes.push(this.#changeOf(tool, 'removed'));
      listed.set(tool.name, { ...tool, isGone: true });
    }
    this.#tools = listed;
    this.#named = new Map([...listed.keys()].map((name) => [skillIdOf(this.#route, name, sha256), name]));
    this.#report(changes);
  }

  #pinned(tool: Tool | undefined): PinnedDefinition | undefined {
    if (tool === undefined) return undefined;
    const { pinnedSha256, definitionSha256, raw, pinned } = tool;
    return { sha256: pinnedSha256, shown: pinnedSha256 === definitionSha256 ? this.#kept(raw) : pinned };
  }

  /** A definition as it may be shown and kept; undefined for a long one: servers have many tools. */
  #kept(raw: JsonObject): JsonObject | undefined {
    const isLong = this.#deps.canonicalJson(raw).length > FIXED_LIMITS.keptDefinitionChars;
    return isLong ? undefined : objectOf(this.#shown(raw));
  }

  #changeOf({ name, definitionSha256, pinnedSha256, raw }: Tool, change: ToolChange['change']): ToolChange {
    return { name, change, definitionSha256, pinnedSha256, shown: this.#kept(raw) };
  }

  #report(changes: readonly ToolChange[]): void {
    if (changes.length > 0) this.#deps.definitions.report(this.#route, changes);
  }

  #describe(connection?: Connection): void {
    const server = objectOf(this.#shown({ ...connection?.server }));
    const known = this.#description;
    this.#description = {
      name: visibleText(server['name']) || known?.name || this.#config.id,
      description:
        visibleText(server['instructions']) || known?.description || `Tools of ${this.#config.id}.`,
      version: visibleText(server['version']) || known?.version || '0',
      skills: [...this.#tools.values()].map((tool) =>
        describeTool(tool, this.#config, objectOf(this.#shown(tool.raw))),
      ),
      inputModes: ['application/json'],
      outputModes: ['application/json', 'text/plain'],
      streaming: true,
      raw:
        connection === undefined
          ? (known?.raw ?? {})
          : { capabilities: this.#shown(connection.capabilities) },
    };
  }

  /** A server may repeat what it was called with: no reader is to learn our credential from what it lists. */
  #shown(said: JsonValue): JsonValue {
    return this.#deps.redact(said).value;
  }
}
