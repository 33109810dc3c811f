/** Paths of what is about one log as a whole, and not about what a tenant has in it. */
export const OF_A_LOG =
  /^\/(?:metrics|ready|\.well-known\/jwks\.json|v1\/audit|v1\/receipt-log\/[a-z]+|v1\/admin\/(?:signing-keys|backup)(?:\/[^?]*)?)(?:\?|$)/;
