import { apiKeyHash, newApiKey } from '#auth/api-keys.ts';
import type { Authenticator } from '#auth/caller.ts';
import { type AuthenticateDelivery, deliveryAuthenticator } from '#auth/delivery-signature.ts';
import { ConfigError } from '#config/fault.ts';
import type { Config } from '#config/load.ts';
import { isAgentRoute } from '#config/routes.ts';
import type { SecretRef } from '#config/secret.ts';
import { DEFAULT_TENANT, DEFAULT_WORKSPACE, LOCAL_WORKSPACE } from '#config/sections/tenancy.ts';
import { isLoopbackHost } from '#config/shapes.ts';
import { callMeter } from '#core/call-meter.ts';
import type { ClockWatch } from '#core/clock-watch.ts';
import type { Effect, EffectResult } from '#core/command.ts';
import type { DecisionTools, NeededVault, OfferedModels, Route, RoutedAgent } from '#core/facts.ts';
import { GatewayCore, type WorkspaceIdOf } from '#core/gateway-core.ts';
import { KeyedMutex } from '#core/keyed-mutex.ts';
import { OnceAMinute } from '#core/once-a-minute.ts';
import { readerAhead } from '#core/read-ahead.ts';
import { Refusals } from '#core/refusals.ts';
import { unlessDamaged } from '#core/unless-damaged.ts';
import type { EventLog } from '#eventlog/event-log.ts';
import { Subscriptions } from '#eventlog/subscription.ts';
import type { Metering } from '#gateway.ts';
import { JsonReader } from '#json/json-reader.ts';
import { SlicedWork } from '#json/large-json.ts';
import { dataPaths, ensureSecretFile, inputBoxKey, redactionProofKey } from '#operation/data-directory.ts';
import { decideTool } from '#policy/known-tool.ts';
import { policySettings } from '#policy/settings.ts';
import { own, word } from '#protocol/clean.ts';
import { createIdSource, type Logger, type Random, timestamp } from '#protocol/ports.ts';
import type { Interpret, ProtocolClient } from '#protocol-client.ts';
import { redactionProver } from '#receipts/redaction-proof.ts';
import { Redactor } from '#redaction/redactor.ts';
import { isSecretName } from '#redaction/secret-names.ts';
import { type RestoreParts, restoreSession } from '#resources/bundle/restore-session.ts';
import type { ConnectorRow } from '#resources/connector/schema.ts';
import { Eraser } from '#resources/erasure/eraser.ts';
import { LiveConnections } from '#resources/live-client/connections.ts';
import { LiveMemory } from '#resources/live-client/live-memory.ts';
import type { RoomCode } from '#resources/load-rooms.ts';
import type { Outbox } from '#resources/push/outbox.ts';
import type { QuotaRow } from '#resources/quota/schema.ts';
import { ReceiptLog } from '#resources/receipt/receipt-log.ts';
import { verifyStoredReceipt } from '#resources/receipt/verify-receipt.ts';
import { checkDependencies } from '#resources/replay/check-dependencies.ts';
import type { ReloadReport } from '#resources/runtime/schema.ts';
import { cancelOpenTasks, closeSessionNow } from '#resources/session/close-session.ts';
import { type CleanSessionFold, sessionKeys } from '#resources/session/state.ts';
import type { GivenInput } from '#resources/session-input/schema.ts';
import { SessionInputs } from '#resources/session-input/session-inputs.ts';
import { isSkillOf, routeOfSkill } from '#resources/skill/skills.ts';
import { FrameNumbers } from '#resources/task/task-frames.ts';
import { recordRefusal } from '#resources/trust/record-trust.ts';
import { parseVaultRef } from '#resources/vault/secrets/vault-row.ts';
import { workspaceKeys } from '#resources/workspace/state.ts';
import { TaskRunner } from '#runner/task-runner.ts';
import { type Guards, guardsOf } from '#runner/upstream-guard.ts';
import { FileTree } from '#store/file-tree.ts';
import { createSecretBox, type SecretBox } from '#store/secret-box.ts';
import { nodeTimers } from '#surfaces/timers.ts';
import type { Bridge } from '../../bridges/bridge.ts';
import { bridges } from '../../bridges/index.ts';
import { approvalFacts } from './approvals.ts';
import { configuredKeys } from './authentication.ts';
import { backupTools } from './backup.ts';
import { bundleTools } from './bundles.ts';
import { secretReader } from './clients.ts';
import { madeOf } from './made-of.ts';
import type { OpenData, OpenDirectory } from './open-data.ts';
import { DELIVERY_FORMS, makeSending, type Sending } from './outbox.ts';
import { type Parts, systemTimers } from './parts.ts';
import { ReplayChecks } from './replay-checks.ts';
import { receiptFacts, signingKeyFacts } from './signing-keys.ts';
import type { Watching } from './telemetry.ts';
import { undiscovered } from './undiscovered.ts';

const TRACE_ID_BYTES = 16;

/** The core and what the surfaces and the housekeeping need of it. */
export interface Core {
  gateway: GatewayCore;
  /** Of clients and of what the gateway itself has written: all of it takes turns. */
  json: JsonReader;
  log: EventLog;
  runner: TaskRunner;
  tools: DecisionTools;
  sending: Sending;
  subscriptions: Subscriptions;
  receiptLog: ReceiptLog;
  refusals: Refusals;
  liveConnections: LiveConnections;
  replayChecks: ReplayChecks;
  metering: Metering;
  eraser: Eraser;
  /** Runs what removes from the log when nothing else does. */
  removeInTurn: RemoveInTurn;
  guards: Guards;
}

type RemoveInTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** The gateway behind the port: tools of decisions, task runner, subscriptions. */
export function makeCore(
  parts: Parts,
  { log, keys, spool, mayAct }: OpenDirectory,
  { handlers, project }: RoomCode,
  clients: ReadonlyMap<string, ProtocolClient>,
  authenticator: Authenticator,
  watch: ClockWatch,
  { measuring, telemetry, isHere, ...operating }: Watching & Operating,
): Core {
  const { config, logger, clock, random } = parts;
  const box = createSecretBox(inputBoxKey(config.store.data, random), random);
  const files = fileTree(config);
  const guards: Guards = { current: guardsFor(parts, undefined) };
  const running = { runner: () => runner, outbox: () => sending.outbox, guards };
  const tools = decisionTools(parts, { log, keys }, clients, box, files, running);
  const sending = makeSending(parts, log, box, tools, { measuring, mayAct });
  const interpretOf = interpreter(clients);
  const work = new SlicedWork();
  const json = new JsonReader(work);
  const readAhead = readerAhead(work, parts.redactor);
  const runner = new TaskRunner({
    log,
    tools,
    clients,
    logger,
    project,
    openInput: (sealed) => box.open(sealed),
    interpretOf,
    verificationKeys: () => keys.verificationKeys(),
    redactFrame: tools.redact,
    readAhead,
    parse: (text) => json.readPeerText(text),
    frameNumbers: new FrameNumbers(log),
    guards,
    limits: runnerLimits(config),
    nowMs: () => clock.now(),
    timeoutSignal: (ms) => AbortSignal.timeout(ms),
    ...(mayAct && { mayAct }),
    ...(measuring && { onFirstFrame: measuring.work.spoke.bind(measuring.work) }),
    ...(telemetry?.calls && { traceExchange: telemetry.calls.exchange.bind(telemetry.calls) }),
  });
  log.onReopen(() => recover(runner, logger));
  log.tail((events) => {
    for (const { event } of events)
      if (event.event === 'session.closed' && event.session_id !== null) tools.inputs.end(event.session_id);
  });
  const subscriptions = new Subscriptions(log);
  const receiptLog = new ReceiptLog({ log, keys });
  const bundles = bundleTools(parts, { keys, spool }, tools);
  const replayChecks = new ReplayChecks({
    log,
    tools,
    logger,
    project,
    interpretOf,
    verificationKeys: () => keys.verificationKeys(),
    time: () => timestamp(clock.now()),
    newId: tools.newId,
    file: dataPaths(config.store.data).replayCheck,
  });
  const removals = new KeyedMutex();
  const removeInTurn: RemoveInTurn = (work) => removals.run('removal', work);
  const eraser = new Eraser({
    log,
    clock,
    logger,
    inTurn: removeInTurn,
    settled: (sessionId) => runner.settled(sessionId),
    wakeOutbox: (taskId) => sending.outbox.wake(taskId),
    signHead: () => receiptLog.keepUp(),
    isAgent: (actor) => clients.has(actor),
    endSession: (tx, sessionId) => {
      const session = tx.get<CleanSessionFold>(sessionKeys.session(sessionId))?.resource;
      if (session !== undefined) closeSessionNow(tx, tools, session, word('erased'));
    },
    endTasks: (tx, sessionId, ids) =>
      cancelOpenTasks(tx, tools, sessionId, word('The data of its caller is erased.'), (id) => ids.has(id)),
  });
  const refusals = new Refusals({
    log,
    tools,
    prove: (tx, refusal) => recordRefusal(tx, tools, refusal),
    onLost: (error) => logger.warn({ err: error }, 'a refused call could not be recorded'),
  });
  const { live } = tools;
  const liveConnections = new LiveConnections({ log, live, clock, logger, redact: tools.redact });
  const gateway = new GatewayCore({
    liveConnections,
    commands: handlers,
    queries: handlers,
    refusals,
    log,
    subscriptions,
    authenticator,
    authenticateDelivery: deliveries(parts),
    redact: tools.redact,
    isHere,
    tools,
    newTraceId: () => Buffer.from(random.bytes(TRACE_ID_BYTES)).toString('hex'),
    time: () => timestamp(clock.now()),
    perform: performer({ log, keys }, runner, files, {
      interpretOf,
      sending,
      bundles,
      redact: tools.redact,
      project,
      ...operating,
      replayChecks,
      erase: () => erasedWithin(eraser, logger),
    }),
    newestReplayCheck: () => replayChecks.newest,
    workspaceIdOf: workspaceNames(config, log),
    readAhead,
    awaitStart: (taskId, signal) => runner.awaitStart(taskId, signal),
    files,
    receiptLog,
    bundles,
    backups: backupTools(parts, { log, keys }),
    idempotencyWindowMs: config.limits.idempotency_window_ms,
    windowNow: () => watch.windowNow(),
    streamBufferBytes: config.limits.stream_buffer_bytes,
  });
  const metering = { meter: meterOf(parts, refusals) };
  return {
    gateway,
    json,
    log,
    runner,
    tools,
    sending,
    subscriptions,
    receiptLog,
    refusals,
    liveConnections,
    replayChecks,
    metering,
    eraser,
    removeInTurn,
    guards,
  };
}

/** What is done about agents that fail, by the configuration as it is now; what did not change goes on. */
export function guardsFor(
  { config, clock }: Pick<Parts, 'config' | 'clock'>,
  before: Guards['current'],
): Guards['current'] {
  const terms = config.resilience.map(({ agent: route, breaker, retries, fallback }) => ({
    route,
    fallback,
    breaker: breaker && { failures: breaker.failures, openMs: breaker.open_ms },
    retries: retries && { share: retries.share, most: retries.most, pauseMs: retries.pause_ms },
  }));
  return guardsOf(terms, clock, before);
}

/** What bounds callers by the configuration as it is now. */
export function meterOf(
  { config, clock }: Pick<Parts, 'config' | 'clock'>,
  refusals: Pick<Refusals, 'count'>,
): Metering['meter'] {
  const { rate_limits: bounds } = config;
  const caller = {
    perSecond: bounds.caller_requests_per_second,
    burst: bounds.caller_burst,
    bodies: bounds.caller_bodies_in_flight,
  };
  const tenant = {
    perSecond: bounds.tenant_requests_per_second,
    burst: bounds.tenant_burst,
    bodies: bounds.tenant_bodies_in_flight,
  };
  return callMeter({ caller, tenant }, clock, (error) => refusals.count(error));
}

/** How long the answer to an erasure waits for its end; one that takes longer goes on without it. */
const ERASED_WITHIN_MS = 10_000;

/** Carries out what is to be erased, and resolves when that is done, failed, or takes too long. */
async function erasedWithin(eraser: Eraser, logger: Logger): Promise<void> {
  const erased = eraser
    .runOpen()
    .catch((error: unknown) => logger.warn({ err: error }, 'an erasure was interrupted; it goes on soon'));
  await new Promise<void>((resolve) => {
    const stopWaiting = nodeTimers.after(ERASED_WITHIN_MS, resolve);
    void erased.then(() => {
      stopWaiting();
      resolve();
    });
  });
}

function recover(runner: TaskRunner, logger: Logger): void {
  runner
    .recover()
    .catch((error: unknown) => logger.error({ err: error }, 'open tasks could not be taken up'));
}

function runnerLimits(config: Parts['config']): {
  perRoute: (route: string) => number;
  total: number;
  cancelWaitMs: number;
  acceptWaitMs: number;
} {
  const { max_running_tasks: total, cancel_wait_ms: cancelWaitMs, accept_wait_ms } = config.limits;
  return { perRoute: concurrencyOf(config), total, cancelWaitMs, acceptWaitMs: accept_wait_ms };
}

/** Tasks at a time on a route: the limit of its agent, else that of the gateway. */
function concurrencyOf(config: Parts['config']): (route: string) => number {
  const own = madeOf(
    () => config.upstreams,
    (upstreams) =>
      new Map<string, number>(
        Object.entries(upstreams).flatMap(([bridge, rows]) =>
          rows.map((row) => [`${bridge}:${row.id}`, row.limits.concurrency] as const),
        ),
      ),
  );
  return (route) => own().get(route) ?? config.limits.max_running_tasks;
}

/** Files under the workspace roots of the data directory and of the configured directories. */
function fileTree({ store, limits }: Parts['config']): FileTree {
  const mutex = new KeyedMutex();
  return new FileTree({
    dir: dataPaths(store.data).workspaces,
    roots: store.workspace_roots,
    dataDir: store.data,
    maxFileBytes: limits.max_file_bytes,
    inTurn: (key, work) => mutex.run(key, work),
  });
}

/** By the agent of the route where there is one, else by the bridge of its protocol: a replay outlives its agent. */
function interpreter(clients: ReadonlyMap<string, ProtocolClient>): (route: string) => Interpret | undefined {
  return (route) => {
    const found = clients.get(route) ?? bridgeOf(route);
    return found && ((frame, seen) => found.interpret(frame, seen));
  };
}

/** The bridge of the protocol of a route. */
function bridgeOf(route: string): Pick<Bridge<never>, 'interpret' | 'askedAbout'> | undefined {
  const known: Record<string, Pick<Bridge<never>, 'interpret' | 'askedAbout'>> = bridges;
  const protocol = route.slice(0, route.indexOf(':'));
  return Object.hasOwn(known, protocol) ? known[protocol] : undefined;
}

/** The runner and the outbox need these tools too, so their parts are only read when they are used. */
function decisionTools(
  { config, version, redactor, clock, random, logger, partition }: Parts,
  { log, keys }: OpenData,
  clients: ReadonlyMap<string, ProtocolClient>,
  box: SecretBox,
  files: FileTree,
  running: RunningParts,
): DecisionTools {
  const { limits } = config;
  const defaultRoute = madeOf(
    () => config.defaultRoute,
    ({ route }) => redactor.clean(route ?? [...clients.keys()].find(isAgentRoute)).value,
  );
  return {
    newId: createIdSource(clock, random, newestMs(log) + 1),
    limits: {
      inlineBytes: limits.inline_payload_bytes,
      artifactBytes: limits.max_artifact_bytes,
      fileBytes: limits.max_file_bytes,
      queuedTasks: limits.max_queued_tasks,
      permissionTimeoutMs: limits.permission_timeout_ms,
      bindsApprovals: true,
      transcript: {
        messages: limits.max_transcript_messages,
        events: limits.max_transcript_events,
        bytes: limits.max_transcript_bytes ?? null,
        recovery: limits.transcript_recovery,
      },
    },
    ...redactionTools({ config, redactor, random }),
    isSecretName,
    checks: new OnceAMinute(),
    sealInput: (plain) => box.seal(plain),
    newApiKey: (name) => freshApiKey(name, random, redactor, partition),
    isServedRoot: (root) => files.isServedRoot(root),
    self: selfFacts({ config, version, clock, random, redactor }, clients, running),
    approvals: approvalFacts(config, redactor),
    receipts: receiptFacts(config, { log, keys }),
    signingKeys: signingKeyFacts(keys, config),
    routes: {
      find: (name) => findRoute(name, clients, redactor),
      awaited: (name) => undiscovered(clients).find((route) => isSkillOf(name, route)),
      get default() {
        return defaultRoute();
      },
      refuse: ({ route, skillId }, parts) => clients.get(route)?.refuse?.({ parts, skillId }),
      takesModel: (route) => clients.get(route)?.takesModel === true,
    },
    ...runningFacts(running),
    live: new LiveMemory(),
    inputs: new SessionInputs({
      nowMs: () => clock.now(),
      redact: redactor.clean.bind(redactor),
      newRedactor: () => new Redactor(),
      hideInLogs: (secrets) => redactor.addLogSecrets(secrets),
      showInLogs: (secrets) => redactor.dropLogSecrets(secrets),
      tell: async (sessionId, given) => {
        const told = [...clients].map(([route, client]) => isTold(client, sessionId, given, logger, route));
        return (await Promise.all(told)).flat();
      },
    }),
  };
}

/** What the gateway knows of itself and of the agents behind it. */
function selfFacts(
  {
    config,
    version,
    clock,
    random,
    redactor,
  }: Pick<Parts, 'config' | 'version' | 'clock' | 'random' | 'redactor'>,
  clients: ReadonlyMap<string, ProtocolClient>,
  running: Pick<RunningParts, 'guards'>,
): DecisionTools['self'] {
  const policy = madeOf(() => config.policy, policySettings);
  // Read once: what happens to the file of the development key later changes no answer.
  const keys = madeOf(
    () => config.auth,
    () => configuredKeys({ config, random }),
  );
  keys();
  const quotas = madeOf(
    () => config.quotas,
    (rows) => redactor.clean<readonly QuotaRow[]>(rows).value,
  );
  const connectors = madeOf(
    () => config.connectors,
    () => redactor.clean(connectorRows(config)).value,
  );
  const catalog = madeOf(
    () => config.catalog,
    (given) => given && redactor.clean(given).value,
  );
  return {
    version,
    startedAt: timestamp(clock.now()),
    routes: () => [...clients.keys()],
    agents: () => describedAgents(clients),
    get policy() {
      return policy();
    },
    halts: { inForce: undefined },
    guards: () => [...(running.guards.current?.values() ?? [])].map((guard) => guard.sight()),
    keys,
    asksFor: (tool) => decideTool(policy(), '', tool).effect === 'ask',
    get quotas() {
      return quotas();
    },
    get connectors() {
      return connectors();
    },
    get catalog() {
      return catalog();
    },
    offeredModels: () => offeredModels(clients),
    vaultsOf: vaultsOfRoutes(config),
    askedAbout: (route, asked) => bridgeOf(route)?.askedAbout?.(asked) ?? {},
    routesTaking: routesOfInputs(config),
  };
}

/** Of the agents that have offered any so far. */
function offeredModels(clients: ReadonlyMap<string, ProtocolClient>): OfferedModels[] {
  return [...clients].flatMap(([route, client]) => {
    const models = client.offeredModels?.() ?? [];
    if (models.length === 0) return [];
    const [protocol = ''] = route.split(':');
    return [{ route, name: client.describe()?.name ?? route, protocol, models }];
  });
}

/** What works in the background. */
interface RunningParts {
  runner(): TaskRunner;
  outbox(): Outbox;
  guards: Guards;
}

function runningFacts({ runner, outbox }: RunningParts): Pick<DecisionTools, 'runs' | 'outbox'> {
  return {
    runs: {
      hasSlot: (route) => runner().hasSlot(route),
      queued: () => runner().queued(),
      hasShare: (tenant, length) => runner().hasShare(tenant, length),
      claim: (...task) => runner().claim(...task),
      answer: (taskId, answer) => runner().answer(taskId, answer),
      answerOpen: () => runner().answerOpen(),
      answerByRule: (taskId) => runner().answerByRule(taskId),
      endBeyondCeiling: (taskId) => runner().endBeyondCeiling(taskId),
      haltsChanged: () => runner().haltsChanged(),
      wake: (taskId, messageId) => runner().wake(taskId, messageId),
      forwardCancel: (taskId) => runner().forwardCancel(taskId),
    },
    outbox: {
      forms: Object.keys(DELIVERY_FORMS),
      wake: (taskId) => outbox().wake(taskId),
      retry: (deadLetterId) => outbox().retry(deadLetterId),
    },
  };
}

function redactionTools({ config, redactor, random }: Pick<Parts, 'config' | 'redactor' | 'random'>) {
  return {
    redact: redactor.clean.bind(redactor),
    proveRedaction: redactionProver(redactionProofKey(config.store.data, random)),
  };
}

/** Known as a secret before anybody can send it. */
function freshApiKey(
  name: string,
  random: Random,
  redactor: Parts['redactor'],
  partition: Parts['partition'],
) {
  const key = newApiKey('live', name, random, partition?.id);
  redactor.addKnownSecret(key);
  return { key, hash: own(apiKeyHash(key)) };
}

function describedAgents(clients: ReadonlyMap<string, ProtocolClient>): RoutedAgent[] {
  return [...clients].flatMap(([route, client]) => {
    const description = client.describe();
    return description === undefined ? [] : [{ route, description }];
  });
}

/** Names of routes come from the configuration, ids of Skills from the card of an agent. */
function findRoute(
  name: string,
  clients: ReadonlyMap<string, ProtocolClient>,
  redactor: Redactor,
): Route | undefined {
  const found = clients.has(name) ? { route: name } : routeOfSkill(name, describedAgents(clients));
  return found && redactor.clean<{ route: string; skillId?: string }>(found).value;
}

/** Time of the newest event; 0 when there is none, or it cannot be read. */
function newestMs(log: EventLog): number {
  const newest = unlessDamaged(() => log.event(log.head.eventId), undefined);
  return newest === undefined ? 0 : Date.parse(newest.event.created_at);
}

/** The configured connectors, each with the tenant of its workspace. */
function connectorRows({ connectors, workspaces }: Config): ConnectorRow[] {
  const tenants = new Map(workspaces.map(({ id, tenant }) => [id, tenant]));
  return connectors.map((row) => ({ ...row, tenant: tenants.get(row.workspace) ?? DEFAULT_TENANT }));
}

/** What deliveries to the connector to try are signed with. */
function makeSampleSecret({ config, random }: Parts): void {
  if (!config.usesSampleConnector) return;
  for (const { auth } of config.connectors)
    if (auth !== undefined && 'file' in auth.secret) ensureSecretFile(auth.secret.file, random);
}

/** Judges deliveries by the secrets of their connectors, which are known secrets from now on. */
function deliveries(parts: Parts): AuthenticateDelivery {
  const { config, clock, logger } = parts;
  const read = secretReader(parts);
  const refs = madeOf(
    () => config.connectors,
    (rows) => new Map(rows.flatMap(({ id, auth }) => (auth ? [[id, auth.secret]] : []))),
  );
  const secretOf = (id: string): string | undefined => {
    const ref = refs().get(id);
    try {
      return ref && read(ref);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      logger.error({ err: error, connector: id }, 'the secret of a connector cannot be read');
      return undefined;
    }
  };
  const judge = madeOf(refs, () => {
    makeSampleSecret(parts);
    for (const id of refs().keys()) secretOf(id);
    return deliveryAuthenticator(connectorRows(config), secretOf, clock);
  });
  judge();
  return (delivery) => judge()(delivery);
}

/** How long a call waits until an agent has heard of it; what takes longer is heard all the same. */
const TELL_MS = 5_000;

/** The route, where its agent has the inputs of a Session now. */
async function isTold(
  client: ProtocolClient,
  sessionId: string,
  given: (names: readonly string[]) => GivenInput[],
  logger: Logger,
  route: string,
): Promise<string[]> {
  if (client.inputsChanged === undefined) return [];
  let timer: unknown;
  const late = new Promise<boolean>((resolve) => {
    timer = systemTimers.setTimeout(() => resolve(false), TELL_MS);
  });
  const told = client.inputsChanged(sessionId, given).catch((error: unknown) => {
    logger.warn({ err: error, route, session_id: sessionId }, 'an agent was not told of changed inputs');
    return false;
  });
  const has = await Promise.race([told, late]).finally(() => systemTimers.clearTimeout(timer));
  return has ? [route] : [];
}

/** The routes whose agents or servers get a session input, by its name. */
function routesOfInputs(config: Config): (input: string) => readonly string[] {
  const rows = madeOf(
    () => config.upstreams,
    (upstreams) =>
      (['a2a', 'acp', 'mcp'] as const).flatMap((bridge) =>
        upstreams[bridge].map(({ id, inputs }) => ({
          route: `${bridge}:${id}`,
          names: Object.values(inputs ?? {}).flatMap((named) => Object.values(named)),
        })),
      ),
  );
  const takes = (names: readonly string[], input: string) => names.includes('*') || names.includes(input);
  return (input) => rows().flatMap(({ route, names }) => (takes(names, input) ? [route] : []));
}

/** The vaults that hold the credentials of each configured agent, and what its program finds in its environment. */
function vaultsOfRoutes(config: Config): (route: string) => readonly NeededVault[] {
  // A reload brings the rows of all sections anew.
  const byRoute = madeOf(
    () => config.upstreams,
    (upstreams) =>
      new Map<string, NeededVault[]>(
        Object.entries(upstreams).flatMap(([bridge, agents]) =>
          agents.map((agent) => [`${bridge}:${agent.id}`, neededBy(agent, config.vaults)] as const),
        ),
      ),
  );
  return (route) => byRoute().get(route) ?? [];
}

interface Agent {
  auth?: { value: SecretRef } | undefined;
  env?: Readonly<Record<string, string | SecretRef>>;
}

function neededBy({ auth, env = {} }: Agent, vaults: Config['vaults']): NeededVault[] {
  const refs = [auth?.value, ...Object.values(env)].flatMap((value) =>
    typeof value === 'object' && 'vault' in value ? (parseVaultRef(value.vault) ?? []) : [],
  );
  const ids = new Set(refs.map(({ vaultId }) => vaultId));
  return vaults
    .filter(({ id }) => ids.has(id))
    .map(({ id, workspace }) => ({ id, workspaceId: workspace ?? null }));
}

/** What effects are done with. */
interface PerformerParts extends Pick<RestoreParts, 'bundles' | 'redact' | 'project'>, Operating {
  interpretOf: (route: string) => Interpret | undefined;
  sending: Sending;
  replayChecks: ReplayChecks;
  erase: () => Promise<void>;
}

/** What an operator can do to the running gateway. */
export interface Operating {
  /** Whether what a tenant has lies in this log. Absent: the log has one partition. */
  isHere?: ((tenant: string) => boolean) | undefined;
  reload(actor: string): Promise<ReloadReport>;
  /** Ends the programs and connections of the agents that are halted as a whole. */
  stopHaltedAgents(): Promise<void>;
  /** Lets the agent of a route be reached again, unless a halt stops it. */
  startReleased(route: string): void;
}

/** Does what a command named, outside of its transaction. */
function performer(
  { log, keys }: OpenData,
  runner: TaskRunner,
  files: FileTree,
  {
    interpretOf,
    sending,
    reload,
    stopHaltedAgents,
    startReleased,
    replayChecks,
    erase,
    ...restoring
  }: PerformerParts,
): (effect: Effect, signal: AbortSignal) => Promise<EffectResult> {
  const canInterpret = (route: string) => interpretOf(route) !== undefined;
  return async (effect, signal) => {
    if (effect.kind === 'await_cancel') {
      const cancelReport = await runner.cancel(effect.taskId);
      return cancelReport === undefined ? {} : { cancelReport };
    }
    if (effect.kind === 'start_replay_check')
      return { replayCheck: await replayChecks.start(effect.request) };
    if (effect.kind === 'erase') {
      await erase();
      return { erasureId: effect.erasureId };
    }
    if (effect.kind === 'reload') return { reload: await reload(effect.actor) };
    // What happens after a commit may happen after this.
    if (effect.kind === 'stop_halted' || effect.kind === 'start_released') runner.haltsChanged();
    if (effect.kind === 'stop_halted') {
      const endedTasks = await runner.endHalted();
      await stopHaltedAgents();
      return { endedTasks };
    }
    if (effect.kind === 'start_released') startReleased(effect.route);
    if (effect.kind === 'check_target') await sending.checkTarget(effect.url);
    if (effect.kind === 'write_file') await files.write(effect.root, effect.names, effect.bytes);
    if (effect.kind === 'check_replay')
      return { taskIds: await checkDependencies(log, effect.source, canInterpret) };
    if (effect.kind === 'restore_session')
      return { restored: await restoreSession({ log, ...restoring }, effect.request, signal) };
    if (effect.kind !== 'verify_receipt') return {};
    const { receiptId, trustAnchor } = effect;
    return {
      receiptVerdict: await verifyStoredReceipt(log, keys.verificationKeys(), receiptId, trustAnchor),
    };
  };
}

/** On loopback the examples of Harn's SDKs find the default workspace under the name they use, unless one has that name itself. */
export function workspaceNames(
  { server }: Pick<Config, 'server'>,
  log: Pick<EventLog, 'state'>,
): WorkspaceIdOf {
  if (!isLoopbackHost(server.host)) return (name) => name;
  const exists = (name: string) =>
    unlessDamaged(() => log.state(workspaceKeys.workspace(name)) !== undefined, true);
  return (name) => (name === LOCAL_WORKSPACE && !exists(name) ? DEFAULT_WORKSPACE : name);
}
