import { type BodyOf, budgetOperations, maxPerBudget, type OutputOf } from '@signalbox/contract'
import { type RequestedChange, recordChange } from '../../accounts/audit/audit.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { toIso } from '../../platform/clock.ts'
import type { Queryable } from '../../platform/database/database.ts'
import { requireRoom } from '../../platform/database/owned-rows.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import { type BoundOperation, bind } from '../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../platform/http/route.ts'
import { isId, newId } from '../../platform/ids.ts'
import { paginate } from '../../platform/paging.ts'
import { refuseChanged } from '../../platform/unchanged.ts'
import { type Bucket, type BudgetRow, bucketAt, offsetAt, toBudget } from './budget.ts'
import type { BudgetContext, BudgetDependencies } from './budget-context.ts'
import { BudgetLeases } from './budget-leases.ts'
import {
	type CounterSums,
	countBudgets,
	deleteBudget,
	deleteOldCounters,
	findBudget,
	forgetExhausted,
	insertBudget,
	listBudgets,
	listSpenders,
	sumCounters,
	updateBudget,
} from './budget-repository.ts'
import { createBudgetView } from './budget-view.ts'
import { Spending } from './spending.ts'

export type { CallOutcome, Hold } from './hold.ts'
export type { CallToPay, Spending } from './spending.ts'

type Created = BodyOf<(typeof budgetOperations)['create']>
type Updated = BodyOf<(typeof budgetOperations)['update']>

/** Every call is checked against all of them. */
const maxBudgets = 100
/** What a budget counts cannot be changed: its counters would lose their meaning. */
const readOnly = [
	...['id', 'scope', 'scope_id', 'unit', 'window', 'time_zone', 'rolling_s'],
	...['created_at', 'updated_at'],
]

/** A budget of the workspace. Throws the same 404 for malformed ids and for budgets of other workspaces. */
export async function budgetOrNotFound(db: Queryable, workspaceId: string, id: string): Promise<BudgetRow> {
	const row = await findBudget(db, workspaceId, id)
	if (!row) throw notFound('budget')
	return row
}

export async function createBudget(
	budgets: BudgetContext,
	request: RequestContext,
	body: Created,
): Promise<BudgetDocument> {
	const nowMs = budgets.clock.nowMs()
	const row = newRow(principalIn(request).workspaceId, body, nowMs)
	refuseNonsense(row)
	refuseName(row)
	return budgets.mutate(async (tx) => {
		await requireRoom(tx, row.workspace_id, { most: maxBudgets, what: 'budgets', count: countBudgets })
		await insertBudget(tx, row)
		await recordChange(tx, budgets, request, changeOf('create', row, body))
		return presentBudget(tx, row, nowMs)
	})
}

function newRow(workspaceId: string, body: Created, nowMs: number): BudgetRow {
	const mode = body.mode ?? 'hard'
	return {
		id: newId(nowMs),
		workspace_id: workspaceId,
		name: body.name,
		scope: body.scope,
		scope_id: body.scope_id ?? null,
		unit: body.unit ?? 'nano_usd',
		limit_amount: Number(body.limit),
		window_kind: body.window,
		time_zone: body.time_zone ?? 'UTC',
		rolling_s: body.rolling_s ?? null,
		mode,
		unpriced: body.unpriced ?? (mode === 'hard' ? 'deny' : 'allow'),
		unpriced_ceiling: toAmount(body.unpriced_ceiling),
		thresholds: toThresholds(body.thresholds ?? [50, 80, 100]),
		contact: body.contact ?? '',
		enabled: body.enabled === false ? 0 : 1,
		created_at: nowMs,
		updated_at: nowMs,
	}
}

const toAmount = (text: string | null | undefined) => (text ? Number(text) : null)
const toThresholds = (given: readonly number[]) => JSON.stringify([...given].sort((a, b) => a - b))

export async function changeBudget(
	budgets: BudgetContext,
	request: RequestContext,
	id: string,
	body: Updated,
): Promise<BudgetDocument> {
	const nowMs = budgets.clock.nowMs()
	return budgets.mutate(async (tx) => {
		const before = await budgetOrNotFound(tx, principalIn(request).workspaceId, id)
		const current = await presentBudget(tx, before, nowMs)
		requireUnchanged(current)
		refuseChanged(body, current, readOnly, ['updated_at'])
		const row = { ...before, ...valuesOf(body, before), updated_at: nowMs }
		refuseNonsense(row)
		await updateBudget(tx, row.workspace_id, id, row)
		if (row.limit_amount > before.limit_amount) await forgetExhausted(tx, row.workspace_id, id)
		const { state: _, ...detail } = body
		await recordChange(tx, budgets, request, changeOf('update', row, detail))
		return presentBudget(tx, row, nowMs)
	})
}

function valuesOf(body: Updated, before: BudgetRow): Partial<BudgetRow> {
	return {
		name: body.name ?? before.name,
		limit_amount: body.limit === undefined ? before.limit_amount : Number(body.limit),
		mode: body.mode ?? before.mode,
		unpriced: body.unpriced ?? before.unpriced,
		unpriced_ceiling:
			body.unpriced_ceiling === undefined ? before.unpriced_ceiling : toAmount(body.unpriced_ceiling),
		thresholds: body.thresholds ? toThresholds(body.thresholds) : before.thresholds,
		contact: body.contact ?? before.contact,
		enabled: body.enabled === undefined ? before.enabled : Number(body.enabled),
	}
}

export async function removeBudget(
	budgets: BudgetContext,
	request: RequestContext,
	id: string,
): Promise<void> {
	await budgets.mutate(async (tx) => {
		const row = await budgetOrNotFound(tx, principalIn(request).workspaceId, id)
		requireUnchanged(await presentBudget(tx, row, budgets.clock.nowMs()))
		await deleteBudget(tx, row.workspace_id, id)
		await recordChange(tx, budgets, request, changeOf('delete', row))
	})
}

/** A change of a budget, as it is recorded. */
function changeOf(verb: string, row: BudgetRow, detail: object = {}): RequestedChange {
	const target = { kind: 'budget', id: row.id, name: row.name }
	return { action: `budgets.${verb}`, target, detail: { ...detail }, viewKind: 'budget' }
}

/** Refuses settings that contradict each other. */
function refuseNonsense(row: BudgetRow): void {
	const rolling = row.window_kind === 'rolling'
	if (rolling !== (row.rolling_s !== null))
		throw wrong('rolling_s', 'is for rolling windows, and they need it')
	if (row.scope === 'workspace' && row.scope_id !== null)
		throw wrong('scope_id', 'must be null for the workspace')
	if (row.limit_amount > maxPerBudget) throw wrong('limit', `is more than ${maxPerBudget}`)
	if ((row.unpriced === 'ceiling') !== (row.unpriced_ceiling !== null))
		throw wrong('unpriced_ceiling', 'is for `unpriced: ceiling`, which needs it')
	if ((row.unpriced_ceiling ?? 0) > row.limit_amount)
		throw wrong('unpriced_ceiling', 'is more than the limit')
	try {
		offsetAt(row.time_zone, 0)
	} catch {
		throw wrong('time_zone', 'is not the name of a time zone')
	}
}

/** A name in place of the id would make a budget that counts nothing. Sessions and users have ids of their callers. */
function refuseName({ scope, scope_id: id }: BudgetRow): void {
	if ((scope === 'agent' || scope === 'key') && id !== null && !isId(id))
		throw wrong('scope_id', `must be the id of the ${scope}, not its name`)
}

function wrong(field: string, detail: string): Problem {
	return new Problem('invalid_request', `body/${field}: ${detail}.`, {
		errors: [{ pointer: `/${field}`, code: 'budget', detail }],
	})
}

type BudgetDocument = OutputOf<(typeof budgetOperations)['get']>
type State = NonNullable<BudgetDocument['state']>

/** A budget with its spending, as far as processes have reported it. */
export async function presentBudget(db: Queryable, row: BudgetRow, nowMs: number): Promise<BudgetDocument> {
	return { ...presentSettings(row), state: await stateOf(db, row, nowMs) }
}

function presentSettings(row: BudgetRow): Omit<BudgetDocument, 'state'> {
	return {
		id: row.id,
		name: row.name,
		scope: row.scope as BudgetDocument['scope'],
		scope_id: row.scope_id,
		unit: row.unit as BudgetDocument['unit'],
		limit: String(row.limit_amount),
		window: row.window_kind as BudgetDocument['window'],
		time_zone: row.time_zone,
		rolling_s: row.rolling_s,
		mode: row.mode as BudgetDocument['mode'],
		unpriced: row.unpriced as BudgetDocument['unpriced'],
		unpriced_ceiling: row.unpriced_ceiling === null ? null : String(row.unpriced_ceiling),
		thresholds: JSON.parse(row.thresholds) as number[],
		contact: row.contact,
		enabled: row.enabled === 1,
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}

async function stateOf(db: Queryable, row: BudgetRow, nowMs: number): Promise<State | null> {
	if (row.scope !== 'workspace' && row.scope_id === null) return null
	return stateOfSpender(db, row, '', nowMs)
}

async function stateOfSpender(
	db: Queryable,
	row: BudgetRow,
	scopeKey: string,
	nowMs: number,
): Promise<State> {
	const bucket = bucketAt(toBudget(row), nowMs)
	const key = { workspaceId: row.workspace_id, budgetId: row.id, scopeKey, ...bucket }
	return toState(row, bucket, await sumCounters(db, key), nowMs)
}

/** The spenders of a budget in its current window, largest amount first. */
export async function presentSpending(db: Queryable, row: BudgetRow, nowMs: number, limit: number) {
	const bucket = bucketAt(toBudget(row), nowMs)
	const key = { workspaceId: row.workspace_id, budgetId: row.id, ...bucket }
	const spending = []
	for (const scopeKey of await listSpenders(db, key, limit))
		spending.push({
			scope_id: scopeKey || row.scope_id,
			state: await stateOfSpender(db, row, scopeKey, nowMs),
		})
	return { spending }
}

function toState(
	{ limit_amount, window_kind, rolling_s }: BudgetRow,
	{ startMs, endMs }: Bucket,
	{ spent, leased, uncertain, exhaustedAt }: CounterSums,
	nowMs: number,
): State {
	const rolling = window_kind === 'rolling'
	return {
		spent: String(spent),
		reserved: String(leased),
		uncertain: String(uncertain),
		left: String(Math.max(0, limit_amount - spent - leased - uncertain)),
		window_start: toIso(rolling ? nowMs - (rolling_s ?? 0) * 1000 : startMs),
		window_end: toIso(rolling ? nowMs : endMs),
		exhausted_at: exhaustedAt === null ? null : toIso(exhaustedAt),
	}
}

export interface Budgets {
	operations: BoundOperation[]
	/** For the model proxy. */
	spending: Pick<Spending, 'concerns' | 'hold' | 'counts' | 'tokensOf' | 'learn' | 'charge' | 'requireRoom'>
	/** Reports current spending to the store, which otherwise happens every second. */
	tell(): Promise<void>
	/** Reports spending and returns what was lent. */
	close(): Promise<void>
}

/** Twice the longest window. */
const keptMs = 180 * 24 * 60 * 60 * 1000
const hourMs = 60 * 60 * 1000

/** Budgets: settings in the control store, amounts lent to this process, and reservations for calls. */
export function openBudgets(dependencies: BudgetDependencies): Budgets {
	const { store, clock, feed, jobs } = dependencies
	const context = { ...dependencies, holder: newId() }
	const view = createBudgetView(store.db)
	feed.add(view)
	const leases = new BudgetLeases(context)
	jobs?.every('budgets.forget', hourMs, async () => {
		while (await deleteOldCounters(store.db, clock.deletionMs() - keptMs));
	})
	return {
		operations: budgetRoutes(context),
		spending: new Spending(context, view, leases),
		tell: () => leases.heartbeat(),
		close: () => leases.close(),
	}
}

function budgetRoutes(budgets: BudgetContext): BoundOperation[] {
	const { store, clock } = budgets
	return bind(budgetOperations, {
		list: async ({ query, context }) => {
			const { rows, total } = await listBudgets(store.db, principalIn(context).workspaceId, query)
			const shown = rows.map((row) => presentBudget(store.db, row, clock.nowMs()))
			return { budgets: await Promise.all(shown), pagination: paginate(query, total) }
		},
		create: ({ body, context }) => createBudget(budgets, context, body),
		get: async ({ params, context }) => {
			const row = await budgetOrNotFound(store.db, principalIn(context).workspaceId, params.id)
			return presentBudget(store.db, row, clock.nowMs())
		},
		update: ({ params, body, context }) => changeBudget(budgets, context, params.id, body),
		delete: async ({ params, context }) => void (await removeBudget(budgets, context, params.id)),
		spending: async ({ params, query, context }) => {
			const row = await budgetOrNotFound(store.db, principalIn(context).workspaceId, params.id)
			return presentSpending(store.db, row, clock.nowMs(), query.limit)
		},
	})
}
