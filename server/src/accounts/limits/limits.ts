import { type BodyOf, limitOperations } from '@signalbox/contract'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { appendChange, type ChangeFeed } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ControlStore } from '../../platform/database/index.ts'
import { Problem } from '../../platform/errors.ts'
import type { Figure } from '../../platform/health/index.ts'
import {
	type BoundOperation,
	bind,
	createRateLimiter,
	principalIn,
	type Quotas,
	type RateLimiter,
	type RequestContext,
} from '../../platform/http/index.ts'
import type { Limiter } from '../../platform/limits/limiter.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { refuseChanged } from '../../platform/unchanged.ts'
import { type Audit, actorOf } from '../audit/index.ts'
import { type LimitRow, listLimits, replaceLimits } from './limit-repository.ts'
import {
	createLimitView,
	instanceLimits,
	isSame,
	isWithin,
	type LimitConfig,
	type LimitDocument,
	presentLimits,
	toQuota,
} from './limit-view.ts'

interface Limits {
	operations: BoundOperation[]
	/** For the ingress. */
	limiter: RateLimiter
	figures: Figure[]
}

interface LimitDependencies {
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

type Wanted = BodyOf<(typeof limitOperations)['replace']>['limits'][number]

interface LimitContext {
	mutate: Mutate
	audit: Audit
	clock: Clock
	config: LimitConfig
	/** Of the instance. */
	quotas: Quotas
	/** The most that a workspace may give itself. */
	ceilings: Quotas
}

/** Sets what the workspace wants, within the ceilings; classes that equal the instance's follow it. */
async function setLimits(
	context: LimitContext,
	request: RequestContext,
	wanted: readonly Wanted[],
): Promise<LimitDocument[]> {
	const principal = principalIn(request)
	const { workspaceId } = principal
	return context.mutate(async (tx) => {
		const before = presentLimits(context, await listLimits(tx, workspaceId))
		requireUnchanged({ limits: before })
		refuseBad(context, wanted, before)
		const rows = rowsOf(context, workspaceId, wanted)
		await replaceLimits(tx, workspaceId, rows)
		const limits = presentLimits(context, rows)
		await context.audit.record(tx, {
			workspaceId,
			actor: actorOf(principal),
			action: 'limits.replace',
			target: null,
			detail: { limits: limits.filter(({ source }) => source === 'workspace') },
			requestId: request.requestId,
		})
		await appendChange(tx, 'limit', workspaceId, context.clock)
		return limits
	})
}

function rowsOf({ quotas, clock }: LimitContext, workspaceId: string, wanted: readonly Wanted[]): LimitRow[] {
	const own = wanted.filter((limit) => !isSame(toQuota(limit), quotas[limit.class]))
	return own.map(({ class: name, requests, window_s }) => ({
		workspace_id: workspaceId,
		class: name,
		requests,
		window_s,
		updated_at: clock.nowMs(),
	}))
}

/** With less nobody could undo it. */
const least = { requests: 10, windowMs: 10_000 }

function refuseBad(
	{ quotas, ceilings }: LimitContext,
	wanted: readonly Wanted[],
	before: LimitDocument[],
): void {
	for (const [index, limit] of wanted.entries()) {
		const { class: name, requests, window_s } = limit
		const refuse = (detail: string) => refused(`/limits/${index}`, detail)
		if (wanted.findIndex((other) => other.class === name) !== index) throw refuse(`names ${name} again`)
		if ((requests === null) !== (window_s === null))
			throw refuse('requests and window_s are both null, or neither')
		const quota = toQuota(limit)
		const present = before.find((other) => other.class === name) as LimitDocument
		if (isSame(quota, toQuota(present))) refuseChanged(limit, present, ['per', 'source'])
		if (name === 'api' && quota && !isWithin(least, quota)) throw refuse('may be no less than 10 in 10 s')
		if (name === 'anonymous' && !isSame(quota, quotas.anonymous)) throw refuse('is set by the operator alone')
		if (!isWithin(quota, ceilings[name]))
			throw refuse(
				`may be at most ${ceilings[name]?.requests} in ${(ceilings[name]?.windowMs ?? 0) / 1000} s`,
			)
	}
}

function refused(pointer: string, detail: string): Problem {
	return new Problem('invalid_request', `body${pointer}: ${detail}.`, {
		errors: [{ pointer, code: 'limit', detail }],
	})
}
