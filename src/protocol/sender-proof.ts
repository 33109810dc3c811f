/**
 * What a request shows besides its credential: that its sender holds the key, or the certificate, to which an access token is
 * bound. One object stands for one request or connection, so that a proof is judged once. Nothing of it is believed yet.
 */
export interface SenderProof {
  /** Value of the header `DPoP` (RFC 9449); undefined without one. */
  readonly dpop: string | undefined;
  readonly method: string;
  /** Every URL that clients may know the target by, without its query: by the address used, and by the public one. */
  readonly urls: readonly string[];
  /** base64url SHA-256 of the client's certificate, where TLS ends here and the client has one (RFC 8705, section 3.1). */
  readonly certificateSha256: string | undefined;
}
