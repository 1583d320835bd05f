export { readChallenge } from './authorization-servers/read-json.ts'
export { ConsentNeeded, type OnBehalfOf, type UpstreamCredential } from './tokens/upstream-tokens.ts'
export { openUpstreamCredentials, type UpstreamCredentials } from './upstream-credentials.ts'
