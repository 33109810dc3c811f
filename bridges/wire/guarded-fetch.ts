import { type AddressGuard, checkedLookup } from './address-guard.ts';

/** What is sent: nothing but headers, or a form. */
export interface GuardedRequest {
  headers: Record<string, string>;
  signal: AbortSignal;
  form?: URLSearchParams;
}

/**
 * Reads from a URL, or posts a form to it: it is checked, the connection goes to a checked address, and redirects are errors,
 * because they would take the headers along. What `read` makes of the answer is there when the connection is closed. Rejects
 * with TargetRefused, or as `fetch` does.
 */
export async function guardedFetch<Read>(
  guard: AddressGuard,
  target: string,
  { form, ...init }: GuardedRequest,
  read: (answer: Response) => Promise<Read>,
): Promise<Read> {
  const { url } = await guard.check(target);
  const { Agent, fetch: send } = await import('./undici.ts');
  const dispatcher = new Agent({ connections: 1, connect: { lookup: checkedLookup(guard) } });
  try {
    const sent = form === undefined ? {} : { method: 'POST', body: form };
    const given = { ...init, ...sent, redirect: 'error', dispatcher } as const;
    return await read((await send(url, given)) as unknown as Response);
  } finally {
    await dispatcher.destroy();
  }
}
