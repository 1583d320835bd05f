import type { ServerResponse } from 'node:http'
import type { LimitClass } from '@signalbox/contract'
import type { Clock } from '../clock.ts'
import { Problem } from '../errors.ts'
import { createLimiter, type Limiter } from '../limits/limiter.ts'
import { type Quota, Rates, type TakeResult } from '../limits/rates.ts'
import { networkOf } from './client-address.ts'
import type { Principal } from './principal.ts'
import type { Route, RouteFamily } from './route.ts'

/** The quota of each class; null: no limit. */
export type Quotas = Readonly<Record<LimitClass, Quota | null>>

export interface RateLimiter {
	/** Counts a request that passed the ingress's checks or reached a public route; a returned problem (429) refuses it. */
	count(
		route: Route,
		principal: Principal | null,
		address: string,
		response: ServerResponse,
	): Problem | null | Promise<Problem | null>
	/** Counts a failed authentication; a returned problem (429) replaces the 401. */
	countFailure(address: string): Problem | null
	/** Number of requests refused so far. */
	refused(): number
}

const classOf: Record<RouteFamily, LimitClass | null> = {
	api: 'api',
	mcp: 'mcp',
	model: 'model',
	otlp: 'otlp',
	page: null,
}

/**
 * Applies the quotas of the caller's workspace, or those of the instance to callers without a credential. Requests without a
 * credential are counted per process, all others for the whole program.
 */
export function createRateLimiter(
	clock: Clock,
	quotasOf: (workspaceId: string | null) => Quotas,
	limiter: Limiter = createLimiter(clock),
): RateLimiter {
	const anonymous = new Rates()
	let refused = 0
	const refusalAfter = (quota: Quota, waitMs: number): Problem | null => {
		if (waitMs === 0) return null
		refused += 1
		return rateLimited(waitMs, quota)
	}
	const countAnonymous = (address: string, response: ServerResponse | null) => {
		const quota = quotasOf(null).anonymous
		if (quota === null) return null
		const problem = refusalAfter(quota, anonymous.take(networkOf(address), quota, clock.nowMs()))
		if (response) showQuota(response, quota, anonymous)
		return problem
	}
	return {
		count: (route, principal, address, response) => {
			if (route.always) return null
			if (principal === null) return route.family === 'api' ? countAnonymous(address, response) : null
			const name = classOf[route.family]
			const quota = name && quotasOf(principal.workspaceId)[name]
			if (name === null || quota === null) return null
			const refusalOfTaken = (taken: TakeResult) => {
				const problem = refusalAfter(quota, taken.waitMs)
				if (route.family === 'api') showQuota(response, quota, taken)
				return problem
			}
			const taken = limiter.take(name, callerOf(principal), quota)
			return taken instanceof Promise ? taken.then(refusalOfTaken) : refusalOfTaken(taken)
		},
		countFailure: (address) => countAnonymous(address, null),
		refused: () => refused,
	}
}

function callerOf(principal: Principal): string {
	return principal.kind === 'user' ? principal.userId : principal.keyId
}

function rateLimited(waitMs: number, { requests, windowMs }: Quota): Problem {
	const retryAfterS = Math.max(1, Math.ceil(waitMs / 1000))
	const detail = `The limit is ${requests} requests in ${windowMs / 1000} s; try again in ${retryAfterS} s.`
	return new Problem('rate_limited', detail, { retryAfterS })
}

/** draft-ietf-httpapi-ratelimit-headers. */
function showQuota(
	response: ServerResponse,
	{ requests, windowMs }: Quota,
	{ remaining, resetMs }: TakeResult,
): void {
	response.setHeader('ratelimit-policy', `"default";q=${requests};w=${windowMs / 1000}`)
	response.setHeader('ratelimit', `"default";r=${remaining};t=${Math.ceil(resetMs / 1000)}`)
}
