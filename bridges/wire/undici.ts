/**
 * What is used of undici, for `await import('./undici.ts')`: it takes long to load. Imported by name here, because a bundle gives
 * a CommonJS package that is imported on demand no named exports.
 */
export { Agent, buildConnector, fetch, request } from 'undici';
