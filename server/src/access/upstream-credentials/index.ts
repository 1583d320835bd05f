export { readChallenge } from './authorization-servers/challenge.ts'
export { ConsentNeeded } from './tokens/consent-needed.ts'
export type { OnBehalfOf, UpstreamCredential } from './tokens/upstream-tokens.ts'
export { openUpstreamCredentials, type UpstreamCredentials } from './upstream-credentials.ts'
