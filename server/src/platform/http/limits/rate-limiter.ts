import type { ServerResponse } from 'node:http'
import { type LimitClass, limitClasses } from '@signalbox/contract'
import type { Clock } from '../../clock.ts'
import { Problem } from '../../errors.ts'
import { alone, type Processes, primary } from '../../processes/index.ts'
import type { Principal } from '../principal.ts'
import type { Route, RouteFamily } from '../route.ts'
import { Gcra, type Quota } from './gcra.ts'

/** The quota of each class; null: no limit. */
export type Quotas = Readonly<Record<LimitClass, Quota | null>>

export interface RateLimiter {
	/** Counts a request that passed the door's judgement, or came to a public route; a problem (429) refuses it. */
	count(
		route: Route,
		principal: Principal | null,
		address: string,
		response: ServerResponse,
	): Problem | null | Promise<Problem | null>
	/** Counts a failed authentication; a problem (429) takes the place of the 401. */
	countFailure(address: string): Problem | null
	/** Requests that were refused so far. */
	refused(): number
}

const classOf: Record<RouteFamily, LimitClass | null> = {
	api: 'api',
	mcp: 'mcp',
	model: 'model',
	otlp: 'otlp',
	page: null,
}

/** One request that is counted: of which class, by which quota, and whose. */
interface Counted {
	name: LimitClass
	quota: Quota
	caller: string
}

const takeOne = 'rate-limits.take'

/**
 * Judges by the quotas of the caller's workspace, or for callers without a credential by those of the instance. A worker has
 * the requests of callers with a credential counted by the primary.
 */
export function createRateLimiter(
	clock: Clock,
	quotasOf: (workspaceId: string | null) => Quotas,
	processes: Processes = alone,
): RateLimiter {
	const names = Object.keys(limitClasses) as LimitClass[]
	const counters = Object.fromEntries(names.map((name) => [name, new Gcra()])) as Record<LimitClass, Gcra>
	const isWorker = processes.number !== primary
	let refused = 0
	const waitOf = ({ name, quota, caller }: Counted) => counters[name].take(caller, quota, clock.nowMs())
	const judge = (quota: Quota, waitMs: number): Problem | null => {
		if (waitMs === 0) return null
		refused += 1
		return rateLimited(waitMs, quota)
	}
	processes.answer(takeOne, waitOf)
	return {
		count: (route, principal, address, response) => {
			const name = principal ? classOf[route.family] : 'anonymous'
			if (name === null || route.always || (principal === null && route.family !== 'api')) return null
			const quota = quotasOf(principal?.workspaceId ?? null)[name]
			if (quota === null) return null
			const counted = { name, quota, caller: principal ? callerOf(principal) : networkOf(address) }
			if (isWorker && principal)
				return processes.ask<number>(primary, takeOne, counted).then((waitMs) => judge(quota, waitMs))
			const problem = judge(quota, waitOf(counted))
			if (route.family === 'api') showQuota(response, quota, counters[name])
			return problem
		},
		countFailure: (address) => {
			const quota = quotasOf(null).anonymous
			return quota && judge(quota, waitOf({ name: 'anonymous', quota, caller: networkOf(address) }))
		},
		refused: () => refused,
	}
}

function callerOf(principal: Principal): string {
	return principal.kind === 'user' ? principal.userId : principal.keyId
}

/** An IPv6 customer owns a whole /64. */
function networkOf(address: string): string {
	return address.includes(':') ? address.split(':').slice(0, 4).join(':') : address
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
	{ remaining, resetMs }: Gcra,
): void {
	response.setHeader('ratelimit-policy', `"default";q=${requests};w=${windowMs / 1000}`)
	response.setHeader('ratelimit', `"default";r=${remaining};t=${Math.ceil(resetMs / 1000)}`)
}
