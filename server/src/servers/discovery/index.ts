export { type Discovery, discoverServer } from './discover-server.ts'
export { UpstreamFailure } from './upstream-failure.ts'
