/** Why a bundle is refused, in the order in which it is looked at. Source: "Session bundles". */
const VALIDATION_STEPS = [
  'json',
  'required_fields',
  '_type',
  'schema_version',
  'secret_markers',
  'typed_decode',
  'references',
  'manifest',
] as const;
export type ValidationStep = (typeof VALIDATION_STEPS)[number];

/** Names in a bundle may be of any length; a reader needs their beginning. */
const MAX_TOLD = 600;

function shortened(text: string): string {
  return text.length > MAX_TOLD ? `${text.slice(0, MAX_TOLD)}...` : text;
}

/** The bundle is not one that may be imported; the message says why and where. Correct or ask for the bundle again. */
export class InvalidBundleError extends Error {
  override readonly name = 'InvalidBundleError';
  readonly step: ValidationStep;
  /** JSON path of the first thing that is wrong. */
  readonly path: string;

  constructor(step: ValidationStep, path: string, why: string) {
    super(shortened(why));
    this.step = step;
    this.path = shortened(path);
  }
}
