import {
  AuthorizationResponseError,
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  type Client,
  calculatePKCECodeChallenge,
  discoveryRequest,
  generateRandomCodeVerifier,
  generateRandomState,
  None,
  OperationProcessingError,
  processAuthorizationCodeResponse,
  processDiscoveryResponse,
  processRefreshTokenResponse,
  ResponseBodyError,
  refreshTokenGrantRequest,
  revocationRequest,
  validateAuthResponse,
} from 'oauth4webapi';
import type { ConsoleSettings, Credential } from './account.ts';

type Issuer = ConsoleSettings['issuers'][number];

/** What has to outlive the way to the issuer and back. */
interface Pending extends Issuer {
  state: string;
  verifier: string;
}

const PENDING = 'harn-console-sign-in';
const RETURN = `${window.location.origin}/console/`;

/** Leaves for the issuer: authorization code with PKCE. Spec: RFC 6749, 4.1; RFC 7636; RFC 9700. */
export async function leaveFor({ issuer, client_id }: Issuer): Promise<void> {
  const server = await discover(issuer);
  if (server.authorization_endpoint === undefined) throw new Error(`${issuer} offers no sign-in for people.`);
  const pending: Pending = {
    issuer,
    client_id,
    state: generateRandomState(),
    verifier: generateRandomCodeVerifier(),
  };
  sessionStorage.setItem(PENDING, JSON.stringify(pending));
  const url = new URL(server.authorization_endpoint);
  for (const [name, value] of Object.entries({
    client_id,
    redirect_uri: RETURN,
    response_type: 'code',
    state: pending.state,
    code_challenge: await calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
    resource: window.location.origin,
  }))
    url.searchParams.set(name, value);
  window.location.assign(url);
}

/** What the issuer gave when it opened this page; undefined where it did not. Throws an Error in words. */
export async function returned(): Promise<Credential | undefined> {
  const here = new URL(window.location.href);
  if (!['code', 'error'].some((name) => here.searchParams.has(name))) return undefined;
  window.history.replaceState(null, '', window.location.pathname);
  const text = sessionStorage.getItem(PENDING);
  sessionStorage.removeItem(PENDING);
  // A code that somebody else put into a link would sign in as somebody else.
  if (text === null) throw new Error('This sign-in was not begun in this tab. Begin it again.');
  const { issuer, client_id, state, verifier } = JSON.parse(text) as Pending;
  const server = await discover(issuer);
  const client: Client = { client_id };
  return inWords(issuer, async () => {
    const params = validateAuthResponse(server, client, here, state);
    const options = requestOptions(issuer);
    const answer = await authorizationCodeGrantRequest(
      server,
      client,
      None(),
      params,
      RETURN,
      verifier,
      options,
    );
    const { access_token, refresh_token } = await processAuthorizationCodeResponse(server, client, answer);
    return credentialOf(server, client, access_token, refresh_token);
  });
}

/** A credential that is renewed as long as the issuer lets it, and given back at the end. Spec: RFC 6749, 6; RFC 7009. */
function credentialOf(
  server: AuthorizationServer,
  client: Client,
  key: string,
  refreshToken: string | undefined,
): Credential {
  const options = requestOptions(server.issuer);
  let last = { key, refreshToken };
  const renew = async () => {
    if (last.refreshToken === undefined) throw new Error(`${server.issuer} gave nothing to renew it with.`);
    const sent = await refreshTokenGrantRequest(server, client, None(), last.refreshToken, options);
    const { access_token, refresh_token } = await processRefreshTokenResponse(server, client, sent);
    last = { key: access_token, refreshToken: refresh_token ?? last.refreshToken };
    return access_token;
  };
  const giveBack = async () => {
    if (server.revocation_endpoint === undefined) return;
    for (const token of [last.refreshToken, last.key])
      if (token !== undefined) await revocationRequest(server, client, None(), token, options);
  };
  return { key, giveBack, ...(refreshToken === undefined ? {} : { renew }) };
}

/** Runs a step of the sign-in; what the issuer refuses is said in its words. */
async function inWords<Value>(issuer: string, step: () => Promise<Value>): Promise<Value> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
      const why = error.error_description === undefined ? '' : `: ${error.error_description}`;
      throw new Error(`${new URL(issuer).host} refused (${error.error})${why}. Begin again.`);
    }
    if (error instanceof OperationProcessingError)
      throw new Error(
        `What came back does not belong to this sign-in: ${error.message}. Begin again, and sign in at ${new URL(issuer).host} only.`,
      );
    throw error;
  }
}

async function discover(issuer: string) {
  const url = new URL(issuer);
  return processDiscoveryResponse(url, await discoveryRequest(url, requestOptions(issuer)));
}

/** On its own machine the gateway believes an issuer without TLS, and so does the page. */
function requestOptions(issuer: string): { [allowInsecureRequests]: boolean } {
  const { hostname } = new URL(issuer);
  return { [allowInsecureRequests]: /^(?:127(?:\.\d+){3}|\[::1\]|localhost)$/.test(hostname) };
}
