export { type Discovery, discoverServer, probeRevision } from './discover-server.ts'
export type { Introduction } from './introduction.ts'
export { programFetch } from './program-fetch.ts'
export { UpstreamFailure } from './upstream-failure.ts'
