export { createApi } from './api.ts'
export { createClientAddressOf, networkOf, peerOf, setPeer } from './client-address.ts'
export { createOriginCheck, isKnownOrigin, withCors } from './cors.ts'
export { createIdempotency } from './idempotency.ts'
export { type Authenticate, createIngress } from './ingress.ts'
export { listenHttp2, type Trailered } from './listen-http2.ts'
export { type Listener, listen } from './listener.ts'
export { LiveRequests } from './live-requests.ts'
export { type BoundOperation, bind } from './operations.ts'
export { basePathOf, belowBasePath, plainPath } from './paths.ts'
export {
	type AgentPrincipal,
	CallerRefused,
	type IngestPrincipal,
	type KeyPrincipal,
	type Principal,
	type UserPrincipal,
} from './principal.ts'
export { createRateLimiter, type Quotas, type RateLimiter } from './rate-limiter.ts'
export {
	bodyMemory,
	createQueryReader,
	drained,
	parseHeaders,
	readBody,
	takeBody,
} from './read-body.ts'
export { refuseWithProblem, sendJson, toProblem } from './refusals.ts'
export type { RefusalWriter, RequestContext, Route, RouteFamily } from './route.ts'
export { authorize, principalIn, userIn } from './route.ts'
export { createLaneRule, createRouter } from './router.ts'
