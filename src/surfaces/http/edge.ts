import type { Middleware } from 'koa';
import type { Gateway } from '#gateway.ts';
import { ProtocolError } from '#protocol/errors.ts';
import { errorHeaders, sendError } from './answer.ts';
import { applyCors, type BrowserRules } from './cors.ts';
import { Exchange, type ExchangeDeps } from './exchange.ts';
import {
  checkExpectation,
  checkHeaders,
  checkTarget,
  type HostAllowList,
  type TransportSecurity,
} from './request-checks.ts';

export interface EdgeDeps extends ExchangeDeps {
  hosts: HostAllowList;
  transport: TransportSecurity;
  browsers: BrowserRules;
  maxHeaders: number;
  /** See `Gateway.recognize`. */
  recognize: Gateway['recognize'];
}

/** What the edge leaves for the routes. */
export interface HttpState {
  exchange: Exchange;
}

/**
 * First step of every request: checks what no operation needs to know about, and is the one place where errors become
 * answers. Answers are written to the raw response, so Koa is told to keep out.
 */
export function edge(deps: EdgeDeps, refuse: RefusePath): Middleware<HttpState> {
  return async (ctx, next) => {
    ctx.respond = false;
    const exchange = new Exchange(ctx.req, ctx.res, deps);
    ctx.state.exchange = exchange;
    try {
      if (!admit(exchange, deps)) return;
      await deps.recognize(exchange.credential);
      deps.failedLogins.check(ctx.req, exchange.credential);
      await next();
    } catch (thrown) {
      const error = ProtocolError.from(thrown);
      const [path = ''] = (ctx.req.url ?? '').split('?');
      const isTold =
        !ctx.res.headersSent && refuse(exchange, path, error, errorHeaders(error, deps.challenges));
      if (!isTold) sendError(exchange, error);
    }
  };
}

/** False when the request is answered already. */
function admit(exchange: Exchange, deps: EdgeDeps): boolean {
  const { req } = exchange;
  checkHeaders(req, deps.maxHeaders);
  deps.hosts.check(req.headers.host, req.socket);
  checkTarget(req.url ?? '');
  checkExpectation(req);
  deps.transport.check(req);
  if (req.headers.origin === undefined && req.headers['sec-fetch-site'] === undefined) return true;
  return !applyCors(exchange, deps.browsers, deps.transport.isSecure(req));
}

interface MatchedContext {
  matched?: { methods: string[] }[];
}

/** Refuses a request in the words of the protocol that its path is of; false when it is of none. `headers` are names and values in turn. */
export type RefusePath = (
  exchange: Exchange,
  path: string,
  error: ProtocolError,
  headers: readonly string[],
) => boolean;

/** Last step: no route took the request. A known path names its methods. Spec: RFC 9110, section 15.5.6. */
export function notFound(refuse: RefusePath): Middleware<HttpState> {
  return async (ctx) => {
    const { exchange } = ctx.state;
    const methods = new Set(((ctx as MatchedContext).matched ?? []).flatMap((layer) => layer.methods));
    const error =
      methods.size === 0
        ? new ProtocolError('resource_not_found', 'No such path. GET /openapi.json lists the paths.')
        : new ProtocolError(
            'resource_not_found',
            `Use one of the methods of this path: ${[...methods].join(', ')}.`,
          );
    const headers = methods.size === 0 ? [] : ['Allow', [...methods].join(', ')];
    if (!refuse(exchange, ctx.path, error, headers)) sendError(exchange, error, headers);
  };
}
