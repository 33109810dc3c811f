/**
 * Objects whose ids are `<object>_<ULID>`. Only words that no pattern of a secret begins with: a token of a platform may look
 * like an id otherwise.
 */
const OBJECTS =
  'artifact|branch|event|memory|message|outcome|permission_request|receipt|session|task|workspace';
/** A time in milliseconds until the year 10889 begins with one of these digits. */
const ULID = '[0-7][0-9A-HJKMNP-TV-Z]{25}';
const SHA256 = 'sha256:[0-9a-f]{64}';
const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
const LONGEST = 80;

/**
 * Matches an id with or without a number behind it, a hash or a time as the gateway writes them: most of what is in an event. No
 * pattern finds a secret in such a text; a known secret may have any shape.
 */
export const OWN_WORD = new RegExp(
  `^(?![^]{${LONGEST + 1}})(?:(?:${OBJECTS})_${ULID}(?:\\.\\d{1,8})?|${SHA256}|${TIME})$`,
);
