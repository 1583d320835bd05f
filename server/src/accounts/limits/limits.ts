import {
	type BodyOf,
	type LimitClass,
	limitClasses,
	limitOperations,
	type OutputOf,
} from '@signalbox/contract'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { appendChange, type ChangeFeed, type View } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type {
	ControlStore,
	Database,
	DatabaseTransaction,
	Queryable,
} from '../../platform/database/database.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'
import { Problem } from '../../platform/errors.ts'
import type { Figure } from '../../platform/health/metrics.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { createRateLimiter, type Quotas, type RateLimiter } from '../../platform/http/rate-limiter.ts'
import { principalIn, type RequestContext } from '../../platform/http/route.ts'
import type { Limiter } from '../../platform/limits/limiter.ts'
import type { Quota } from '../../platform/limits/rates.ts'
import type { Mutate } from '../../platform/mutation.ts'
import { refuseChanged } from '../../platform/unchanged.ts'
import { type Audit, actorOf } from '../audit/audit.ts'

/** The quotas of every workspace, in memory; those of the instance for workspaces that set none, and for anonymous callers. */
interface LimitView {
	quotasOf(workspaceId: string | null): Quotas
}

function createLimitView(db: Database, instance: Quotas): LimitView & View {
	const byWorkspace = new Map<string, Quotas>()
	const set = (workspaceId: string, rows: readonly LimitRow[]) => {
		if (rows.length === 0) byWorkspace.delete(workspaceId)
		else byWorkspace.set(workspaceId, { ...instance, ...quotasIn(rows) })
	}
	return {
		kinds: ['limit'],
		load: async () => {
			byWorkspace.clear()
			const rows = Map.groupBy(await listLimitsForView(db), (row) => row.workspace_id)
			for (const [workspaceId, own] of rows) set(workspaceId, own)
		},
		apply: async (_kind, workspaceId) => set(workspaceId, await listLimits(db, workspaceId)),
		quotasOf: (workspaceId) => (workspaceId === null ? instance : (byWorkspace.get(workspaceId) ?? instance)),
	}
}

/** Converts rows to quotas by class. */
function quotasIn(rows: readonly LimitRow[]): Partial<Record<LimitClass, Quota | null>> {
	return Object.fromEntries(
		rows.map(({ class: name, requests, window_s }) => [name, toQuota({ requests, window_s })]),
	)
}

/** Null if either is absent: no limit. */
function toQuota(of: { requests: number | null; window_s: number | null }): Quota | null {
	if (of.requests === null || of.window_s === null) return null
	return { requests: of.requests, windowMs: of.window_s * 1000 }
}

const limitClassNames = Object.keys(limitClasses) as LimitClass[]

/** Generous: they stop loops and guessing, not work. The data plane is not limited. */
const defaults: Quotas = {
	api: { requests: 1000, windowMs: 10_000 },
	anonymous: { requests: 500, windowMs: 10_000 },
	mcp: null,
	model: null,
	otlp: null,
}
const defaultCeilings: Quotas = { ...defaults, api: { requests: 10_000, windowMs: 10_000 } }

/** The operator's configuration: limits of some classes, and the maximum that workspaces may set. */
interface LimitConfig {
	RATE_LIMITS: Partial<Quotas>
	RATE_LIMIT_CEILINGS: Partial<Quotas>
}

/** The limits of the instance, and the maximum that a workspace may set: never less than the instance's limit. */
function instanceLimits(config: LimitConfig): { quotas: Quotas; ceilings: Quotas } {
	const quotas = { ...defaults, ...config.RATE_LIMITS }
	const wanted = { ...defaultCeilings, ...config.RATE_LIMIT_CEILINGS }
	const ceilings = limitClassNames.map((name) => {
		const fits = isWithin(quotas[name], wanted[name])
		return [name, fits ? wanted[name] : quotas[name]] as const
	})
	return { quotas, ceilings: Object.fromEntries(ceilings) as unknown as Quotas }
}

/** Whether a quota stays within a ceiling, both at once and over time. */
function isWithin(quota: Quota | null, ceiling: Quota | null): boolean {
	if (ceiling === null) return true
	if (quota === null || quota.requests > ceiling.requests) return false
	return quota.requests * ceiling.windowMs <= ceiling.requests * quota.windowMs
}

function isSame(a: Quota | null, b: Quota | null): boolean {
	return a?.requests === b?.requests && a?.windowMs === b?.windowMs
}

type LimitDocument = OutputOf<(typeof limitOperations)['list']>['limits'][number]

/** Every class with its quota and the source of it. */
function presentLimits(
	{ quotas, config }: { quotas: Quotas; config: LimitConfig },
	rows: readonly LimitRow[],
): LimitDocument[] {
	const own = quotasIn(rows)
	return limitClassNames.map((name) => {
		if (own[name] !== undefined) return present(name, own[name], 'workspace')
		return present(name, quotas[name], name in config.RATE_LIMITS ? 'operator' : 'default')
	})
}

function present(name: LimitClass, quota: Quota | null, source: LimitDocument['source']): LimitDocument {
	return {
		class: name,
		requests: quota?.requests ?? null,
		window_s: quota && quota.windowMs / 1000,
		per: limitClasses[name],
		source,
	}
}

interface Limits {
	operations: BoundOperation[]
	/** The limiter for the ingress. */
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
	/** By default it counts in this process's memory. */
	limiter?: Limiter
}

/** Rate limits: the settings of workspaces, held in memory, and the limiter that applies them. */
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
			grows: true as const,
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
	/** The instance's quotas. */
	quotas: Quotas
	/** The maximum that a workspace may set. */
	ceilings: Quotas
}

/** Stores a workspace's limits, within the ceilings; a class that equals the instance's limit follows it. */
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

/** With a lower limit nobody could raise it again. */
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

type LimitRow = ControlSchema['rate_limits']

function listLimits(db: Queryable, workspaceId: string): Promise<LimitRow[]> {
	return db.selectFrom('rate_limits').selectAll().where('workspace_id', '=', workspaceId).execute()
}

async function replaceLimits(
	tx: DatabaseTransaction,
	workspaceId: string,
	rows: readonly LimitRow[],
): Promise<void> {
	await tx.deleteFrom('rate_limits').where('workspace_id', '=', workspaceId).execute()
	if (rows.length > 0)
		await tx
			.insertInto('rate_limits')
			.values([...rows])
			.execute()
}

/** For the view, which spans workspaces. */
function listLimitsForView(db: Queryable): Promise<LimitRow[]> {
	return db.selectFrom('rate_limits').selectAll().execute()
}
