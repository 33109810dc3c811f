import type { Authentication, Authenticator, Caller, Standing } from '#auth/caller.ts';
import type { AuthenticateDelivery } from '#auth/delivery-signature.ts';
import type { AdmittedCaller, Call, CallHead, CredentialOfCall, Identity } from '#gateway.ts';
import { defaultWorkspace, holdsScope, refusedByScope } from '#policy/access.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { isAboutProof, REFUSAL_REASONS } from '#protocol/refusal-reasons.ts';
import {
  type ProtocolVersion,
  refuseKey,
  SUPPORTED_VERSIONS,
  UNVERSIONED,
  VERSION_HEADER,
  VERSIONS,
} from '#protocol/versions.ts';
import type { OperationRow } from '#resources/operations.ts';
import { type DecodedInput, decodeInput, isRawBody } from './decode-input.ts';
import type { CallerName, DecisionTools } from './facts.ts';
import { OF_A_LOG } from './of-a-log.ts';

export interface DoorDeps {
  authenticator: Authenticator;
  authenticateDelivery: AuthenticateDelivery;
  redact: DecisionTools['redact'];
  /** Whether what a tenant has lies in this log, asked for each call. Absent: the log has one partition. */
  isHere?: ((tenant: string) => boolean) | undefined;
}

/**
 * Where a request or a connection becomes a caller, once, for every surface: 401 before 426 (README.md, Order of a call).
 * What comes after it asks for scopes and for what has become of the credential, and never for the credential.
 */
export class Door {
  readonly #deps: DoorDeps;
  /** By the credential of one request or connection, however often it is asked about. */
  readonly #judged = new WeakMap<CredentialOfCall, Authentication>();
  readonly #names = new WeakMap<Caller, CallerName>();

  constructor(deps: DoorDeps) {
    this.#deps = deps;
  }

  recognize(credential: CredentialOfCall): Promise<void> | undefined {
    return this.#deps.authenticator.recognize(credential);
  }

  knows(credential: CredentialOfCall): boolean {
    // What cannot be judged now is answered as such.
    return this.#judge(credential).kind !== 'unauthenticated';
  }

  enter(credential: CredentialOfCall, version: string | undefined | 'exempt'): AdmittedCaller {
    const judged = this.#judge(credential);
    return this.#admit(judged, SEND_A_KEY, version);
  }

  enterSigned({ path, body }: Pick<Call, 'path' | 'body'>): AdmittedCaller {
    if (!isRawBody(body)) return this.#admit({ kind: 'unauthenticated' }, SIGN_IT, 'exempt');
    const { bytes, headers = {} } = body;
    const delivery = { connectorId: path['connector_id'] ?? '', headers, bytes };
    return this.#admit(this.#deps.authenticateDelivery(delivery), SIGN_IT, 'exempt');
  }

  /** The caller, or the refusal of everybody else. */
  #admit(result: Authentication, advice: string, asked: string | undefined | 'exempt'): AdmittedCaller {
    if (result.kind === 'caller') {
      const { caller, standing } = result;
      const version = asked === 'exempt' ? UNVERSIONED : VERSIONS.get(asked ?? '');
      if (version === undefined) throw unsupported(asked);
      const { isHere } = this.#deps;
      const made: Identity = new ResolvedCaller(caller, this.#nameOf(caller), version, standing, isHere);
      return made as AdmittedCaller;
    }
    throw result.kind === 'unauthenticated' ? unauthenticated(result, advice) : notNow();
  }

  /** A configured key has one caller for all its requests, so that its names are read once. */
  #nameOf(caller: Caller): CallerName {
    const known = this.#names.get(caller);
    if (known !== undefined) return known;
    const { actor, tenant, signedSha256 } = caller;
    const named = signedSha256 === undefined ? { actor, tenant } : { actor, tenant, signedSha256 };
    const name = this.#deps.redact(named).value;
    this.#names.set(caller, name);
    return name;
  }

  #judge(credential: CredentialOfCall): Authentication {
    const known = this.#judged.get(credential);
    if (known !== undefined) return known;
    const judged = this.#deps.authenticator.authenticate(credential);
    this.#judged.set(credential, judged);
    return judged;
  }
}

/** A caller behind the door: what surfaces may know of it, and what only the core may. */
export class ResolvedCaller implements Identity {
  readonly caller: Caller;
  readonly name: CallerName;
  /** The version that its request or connection is in. */
  readonly version: ProtocolVersion;
  readonly #standing: Standing | undefined;
  readonly #isHere: DoorDeps['isHere'];

  constructor(
    caller: Caller,
    name: CallerName,
    version: ProtocolVersion,
    standing: Standing | undefined,
    isHere: DoorDeps['isHere'],
  ) {
    this.caller = caller;
    this.name = name;
    this.version = version;
    this.#standing = standing;
    this.#isHere = isHere;
  }

  get actor(): string {
    return this.caller.actor;
  }

  get tenant(): string {
    return this.caller.tenant;
  }

  get defaultWorkspace(): string {
    return defaultWorkspace(this.caller);
  }

  get seesInternal(): boolean {
    return holdsScope(this.caller, 'internal:read');
  }

  get hasEnded(): boolean {
    return this.#standing?.now() === 'ended';
  }

  /** See `Standing.settle`. */
  settle(): Promise<void> | undefined {
    return this.#standing?.settle();
  }

  /** Throws for a credential that was revoked or expired since the door; a look into memory. */
  checkStanding(): void {
    const standing = this.#standing?.now() ?? 'live';
    if (standing === 'live') return;
    throw standing === 'ended' ? new ProtocolError('unauthenticated', CREDENTIAL_ENDED) : notNow();
  }

  /** Throws where what the tenant has lies in another partition, whoever handed the call on: nothing of it may be written here. */
  checkPartition({ path }: OperationRow): void {
    if (this.#isHere === undefined || this.#isHere(this.tenant) || OF_A_LOG.test(path)) return;
    throw new ProtocolError('service_unavailable', ELSEWHERE, { retryAfterSeconds: 1 });
  }
}

/** The caller of a call. Throws for one that the door did not make. */
export function resolved({ caller }: { caller: AdmittedCaller }): ResolvedCaller {
  const made: unknown = caller;
  if (made instanceof ResolvedCaller) return made;
  throw new Error('The caller of a call comes from the door of the gateway.');
}

const CREDENTIAL_ENDED = 'The credential of this call has ended. Call again with a new one.';
const ELSEWHERE =
  'What your tenant has lies in another partition than the one that was asked. Send the request again, to the address of a node.';
const SEND_A_KEY = 'Send a valid key as "Authorization: Bearer <key>".';
const SIGN_IT = 'Sign the delivery with the secret of this connector, with the time of now.';

function notNow(): ProtocolError {
  const message = 'Your credentials cannot be checked right now. Retry later.';
  return new ProtocolError('service_unavailable', message, { retryAfterSeconds: 5 });
}

/** Says why a credential was refused, where one was sent. */
function unauthenticated(
  { refusal }: Extract<Authentication, { kind: 'unauthenticated' }>,
  advice: string,
): ProtocolError {
  if (refusal === undefined) return new ProtocolError('unauthenticated', advice);
  const { scheme, reason } = refusal;
  const description = REFUSAL_REASONS[reason];
  const error = isAboutProof(reason) ? 'invalid_dpop_proof' : 'invalid_token';
  const challenge = { scheme, error, description, reason } as const;
  return new ProtocolError('unauthenticated', `${description} ${advice}`, { challenge });
}

function unsupported(asked: string | undefined): ProtocolError {
  const spoken = SUPPORTED_VERSIONS.join(' or ');
  const message =
    asked === undefined
      ? `Send the header ${VERSION_HEADER}: ${spoken}.`
      : `This protocol version is not supported. Send ${VERSION_HEADER}: ${spoken}.`;
  return new ProtocolError('unsupported_protocol_version', message, {
    param: VERSION_HEADER,
    details: { supported_versions: [...SUPPORTED_VERSIONS] },
  });
}

/** A call on its way in. */
export interface Passage {
  row: OperationRow;
  /** Without a body where only the caller is asked about. */
  call: Call | CallHead;
  by: ResolvedCaller;
}

export interface Admitted {
  caller: Caller;
  input: DecodedInput;
}

/**
 * What happens to every call of a caller before anything is loaded, in this order for every surface, once its door has said 401
 * or 426: 403 before 400. A step refuses by throwing a ProtocolError.
 */
const ADMISSION: readonly (readonly [name: string, step: (passage: Passage) => void])[] = [
  ['check_standing', ({ by }) => by.checkStanding()],
  ['check_partition', ({ row, by }) => by.checkPartition(row)],
  ['check_scope', checkScope],
  ['check_idempotency_key', checkIdempotencyKey],
];

/** Scope and key only; used where the input is not read yet, or decides about an answer that may be stored. */
export function admitCaller(row: OperationRow, call: Call | CallHead): ResolvedCaller {
  const by = resolved(call);
  for (const [, step] of ADMISSION) step({ row, call, by });
  return by;
}

/** The caller and what it asks, read from the parts of the call. */
export function admit(row: OperationRow, call: Call): Admitted {
  const { caller } = admitCaller(row, call);
  return { caller, input: decodeInput(row, call) };
}

function checkScope({ row, by }: Passage): void {
  if (refusedByScope({ caller: by.caller, scope: row.scope }) === undefined) return;
  throw new ProtocolError(
    'permission_denied',
    `Your credentials lack the scope ${row.scope}. Ask for a key that has it.`,
    {
      details: { required_scope: row.scope },
    },
  );
}

/** 1 to 255 visible characters. Source: OpenAPI, parameter IdempotencyKey. */
const IDEMPOTENCY_KEY = /^[!-~]([ -~]{0,253}[!-~])?$/;

function checkIdempotencyKey({ row, call, by }: Passage): void {
  if (row.createsTask !== true) refuseKey(by.version, call.idempotencyKey);
  if (call.idempotencyKey === undefined || IDEMPOTENCY_KEY.test(call.idempotencyKey)) return;
  const message = 'An Idempotency-Key has 1 to 255 printable ASCII characters. A UUID is a good one.';
  throw new ProtocolError('invalid_request', message, { param: 'Idempotency-Key' });
}
