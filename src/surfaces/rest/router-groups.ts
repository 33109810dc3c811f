import type { Middleware } from 'koa';
import Router from 'koa-router';
import type { HttpState } from '../http/edge.ts';

/**
 * Routers by the fixed beginning of their paths, such as `/v1/sessions` or `/a2a`. A router tries each of its routes for
 * every request, so a request only meets the routes that begin like it. Paths are exact: case and trailing slash count.
 */
export class RouterGroups {
  readonly #groups = new Map<string, Router<HttpState>>();

  /** The router for routes of this path, whose parameters are written `{name}`. */
  of(path: string): Router<HttpState> {
    const [one, two] = beginnings(path);
    const group = two.includes('{') ? one : two;
    const router = this.#groups.get(group) ?? new Router<HttpState>({ sensitive: true, strict: true });
    this.#groups.set(group, router);
    return router;
  }

  /** Hands a request to the group of its two first segments, then to that of its first. */
  routes(): Middleware<HttpState> {
    const groups = new Map([...this.#groups].map(([group, router]) => [group, router.routes()]));
    return (ctx, next) => {
      const [one, two] = beginnings(ctx.path);
      const [narrow, wide] = [groups.get(two), one === two ? undefined : groups.get(one)];
      const further = wide === undefined ? next : () => wide(ctx as never, next);
      return narrow === undefined ? further() : narrow(ctx as never, further);
    };
  }
}

/** The first segment, and the first two. */
function beginnings(path: string): [one: string, two: string] {
  const first = path.indexOf('/', 1);
  if (first < 0) return [path, path];
  const second = path.indexOf('/', first + 1);
  return [path.slice(0, first), second < 0 ? path : path.slice(0, second)];
}
