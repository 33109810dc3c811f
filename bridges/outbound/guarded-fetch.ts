import type { AddressGuard } from './address-guard.ts';
import { checkedLookup } from './checked-lookup.ts';

/**
 * Reads from a URL that came from outside: it is checked, the connection goes to a checked address, and redirects are errors.
 * What `read` makes of the answer is there when the connection is closed. Rejects with TargetRefused, or as `fetch` does.
 */
export async function guardedFetch<Read>(
  guard: AddressGuard,
  target: string,
  init: { headers: Record<string, string>; signal: AbortSignal },
  read: (answer: Response) => Promise<Read>,
): Promise<Read> {
  const { url } = await guard.check(target);
  const { Agent, fetch: send } = await import('undici');
  const dispatcher = new Agent({ connections: 1, connect: { lookup: checkedLookup(guard) } });
  try {
    const given = { ...init, redirect: 'error', dispatcher } as const;
    return await read((await send(url, given)) as unknown as Response);
  } finally {
    await dispatcher.destroy();
  }
}
