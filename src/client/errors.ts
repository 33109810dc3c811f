import type { components } from './types-2026-04-25.ts';

type ErrorBody = components['schemas']['Error'];
/** The closed list of codes. */
export type GatewayErrorCode = ErrorBody['code'];

/**
 * A call that the gateway refused, or a stream that it ended with an error. `message` names the field and says what to do next;
 * `requestId` finds the request in the logs of the gateway: quote it in reports.
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  /** Of HTTP; 200 where a stream that had begun ended with the error. */
  readonly status: number;
  /** Undefined where what answered is no gateway, such as a proxy. */
  readonly code: GatewayErrorCode | undefined;
  readonly requestId: string | undefined;
  /** The member, parameter or header at fault. */
  readonly param: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  /** When to try again. */
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, error: Partial<ErrorBody>, headers?: Headers) {
    super(error.message ?? `The answer has status ${status} and is none of a gateway. Check the URL.`);
    this.status = status;
    this.code = error.code;
    this.requestId = error.request_id ?? headers?.get('x-request-id') ?? undefined;
    this.param = error.param ?? undefined;
    this.details = error.details ?? {};
    this.retryAfterSeconds = secondsOf(headers?.get('retry-after'));
  }
}

/** The refusal in an answer that is not `ok`; reads its body. */
export async function refusalOf(response: Response): Promise<GatewayError> {
  return new GatewayError(response.status, envelopeOf(await response.text()), response.headers);
}

/** The error of an envelope; nothing of it where the text is something else. */
export function envelopeOf(text: string): Partial<ErrorBody> {
  try {
    const { error } = JSON.parse(text) as { error?: Partial<ErrorBody> };
    return typeof error?.message === 'string' ? error : {};
  } catch {
    return {};
  }
}

/** Proxies may send a date, which nobody here has a clock for. */
function secondsOf(header: string | null | undefined): number | undefined {
  return header != null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;
}
