import { limitOperations } from '@signalbox/contract'
import type { ChangeFeed } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/index.ts'
import type { Figure } from '../../platform/health/index.ts'
import {
	type BoundOperation,
	bind,
	createRateLimiter,
	principalIn,
	type RateLimiter,
} from '../../platform/http/index.ts'
import type { Limiter } from '../../platform/limits/limiter.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { Audit } from '../audit/index.ts'
import { instanceLimits, type LimitConfig } from './instance-limits.ts'
import { listLimits } from './limit-repository.ts'
import { createLimitView } from './limit-view.ts'
import { presentLimits } from './present-limits.ts'
import { type LimitContext, setLimits } from './set-limits.ts'

export interface Limits {
	operations: BoundOperation[]
	/** For the ingress. */
	limiter: RateLimiter
	figures: Figure[]
}

export interface LimitDependencies {
	store: ControlStore
	feed: ChangeFeed
	mutate: Mutate
	audit: Audit
	clock: Clock
	config: LimitConfig
	/** Absent: it counts in the memory of this process. */
	limiter?: Limiter
}

/** Rate limits: what workspaces set, held in memory, and the limiter that judges by it. */
export function openLimits({ feed, config, limiter: counters, ...dependencies }: LimitDependencies): Limits {
	const { store, clock } = dependencies
	const context: LimitContext = { ...dependencies, ...instanceLimits(config), config }
	const view = createLimitView(store.db, context.quotas)
	feed.add(view)
	const operations = bind(limitOperations, {
		list: async ({ context: request }) => {
			const rows = await listLimits(store.db, principalIn(request).workspaceId)
			return { limits: presentLimits(context, rows) }
		},
		replace: async ({ body, context: request }) => ({
			limits: await setLimits(context, request, body.limits),
		}),
	})
	const limiter = createRateLimiter(clock, view.quotasOf, counters)
	const figures = [
		{
			name: 'signalbox_rate_limited_requests',
			help: 'Requests refused by a rate limit',
			read: limiter.refused,
		},
	]
	return { operations, limiter, figures }
}
