export {
  type Call,
  type HarnClient,
  type HarnClientOptions,
  harnClient,
  type PathsOf,
  type VersionId,
} from './client.ts';
export { GatewayError, type GatewayErrorCode, refusalOf } from './errors.ts';
export type { Follow, FollowOptions, StreamedEvent, StreamPath } from './events.ts';
/** The shapes of resources by their name in the OpenAPI document, as `components['schemas']['Task']`. */
export type { components, operations } from './types-2026-04-25.ts';
