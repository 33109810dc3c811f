import type { Facts } from '#core/facts.ts';
import { ProtocolError } from '#protocol/errors.ts';
import type { JsonObject, JsonValue } from '#protocol/json.ts';

/** Refuses a descriptor that holds a secret, by the names of its members or by what a value looks like. */
export function refuseSecrets(
  body: JsonObject,
  { redact, isSecretName }: Pick<Facts, 'redact' | 'isSecretName'>,
): void {
  const param = secretMember(body, '', isSecretName);
  if (param !== undefined) throw holdsSecret(param);
  const found = Object.entries(body).find(([, value]) => redact(value).hit);
  if (found) throw holdsSecret(found[0]);
}

function holdsSecret(param: string): ProtocolError {
  const message = 'A descriptor holds no secrets. Leave this out and keep the secret with its provider.';
  return new ProtocolError('invalid_request', message, { param });
}

/** Path of the first member, at any depth, whose name says that it is a secret. */
function secretMember(
  value: JsonValue,
  path: string,
  isSecretName: (name: string) => boolean,
): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    if (!Array.isArray(value) && isSecretName(name)) return at;
    const found = secretMember(member, at, isSecretName);
    if (found !== undefined) return found;
  }
  return undefined;
}
