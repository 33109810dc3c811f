/**
 * Why a credential is refused, in words for whoever sent it: what its own holder can read in it anyway, and nothing about the
 * gateway. Printable ASCII without quotes and backslashes, as `error_description` wants it. Spec: RFC 6750, section 3.
 */
export const REFUSAL_REASONS = {
  unknown_credential: 'The credential is no live key of this gateway and no access token.',
  malformed_token: 'The access token is not a well-formed signed JWT.',
  untrusted_issuer: 'The access token is of an issuer that is not trusted here.',
  unknown_key: 'The access token is signed with a key that its issuer does not publish.',
  bad_signature: 'The signature of the access token does not verify.',
  wrong_algorithm: 'The access token is signed with an algorithm that is not accepted.',
  wrong_type: 'The typ of the access token is not the one expected of its issuer.',
  wrong_audience: 'The access token is for another audience.',
  expired: 'The access token has expired.',
  not_yet_valid: 'The access token is not valid yet.',
  bad_lifetime: 'The times of the access token are missing, contradict each other or are too far apart.',
  missing_claim: 'The access token lacks a claim, or has one in a form that is not accepted.',
  unknown_tenant: 'The access token names no tenant of this gateway.',
  unknown_binding: 'The access token is bound in a way (cnf) that is not supported here.',
  needs_dpop: 'The access token is bound to a key: send it with the scheme DPoP and a proof.',
  not_bound: 'The access token is not bound to a key: send it with the scheme Bearer.',
  needs_certificate: 'The access token is bound to a client certificate that this connection does not show.',
  proof_missing: 'The header DPoP with a proof is missing.',
  proof_malformed:
    'The DPoP proof is not a single well-formed JWT with typ, jwk, jti, htm, htu, iat and ath.',
  proof_algorithm: 'The DPoP proof is signed with an algorithm that is not accepted.',
  proof_signature: 'The signature of the DPoP proof does not verify.',
  proof_key: 'The DPoP proof is of another key than the access token.',
  proof_token: 'The ath of the DPoP proof is of another access token.',
  proof_method: 'The htm of the DPoP proof is another method.',
  proof_url: 'The htu of the DPoP proof is another URL.',
  proof_time: 'The iat of the DPoP proof is too old or in the future.',
  proof_replayed: 'The DPoP proof was used before: make a new one for each request.',
} as const satisfies Record<string, string>;
export type RefusalReason = keyof typeof REFUSAL_REASONS;

/** Reasons that are about the proof; every other one is about the token, or the key. */
export function isAboutProof(reason: RefusalReason): boolean {
  return reason.startsWith('proof_');
}
