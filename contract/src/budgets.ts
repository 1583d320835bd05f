import { Type } from 'typebox'
import { byScope } from './access.ts'
import {
	Id,
	IdParams,
	Name,
	Nullable,
	OneOf,
	optional,
	Pagination,
	pageQuery,
	Strict,
	Time,
} from './common.ts'
import { operation } from './operation.ts'

export const budgetScopes = ['workspace', 'agent', 'key', 'session', 'user'] as const
export type BudgetScope = (typeof budgetScopes)[number]
export const budgetWindows = ['hour', 'day', 'week', 'month', 'rolling'] as const
export type BudgetWindow = (typeof budgetWindows)[number]

/** Nano-dollars or tokens. Below 2^53, so that sums are exact everywhere; as money it is nine million dollars. */
export const maxPerBudget = 9_000_000_000_000_000

const Amount = Type.String({ description: 'Nano-dollars or tokens, see `unit`; integer' })
const Limit = Type.String({
	pattern: '^[1-9][0-9]{0,15}$',
	description: 'Integer nano-dollars, or tokens; 1 dollar is 1000000000',
	examples: ['5000000000'],
})
const scope = OneOf(budgetScopes, { description: 'Whose calls are counted together' })
const scope_id = Nullable(
	Type.String({
		minLength: 1,
		maxLength: 256,
		description: 'The agent, key, session or user; null: each has the full amount. Null for a workspace.',
	}),
)
const unit = OneOf(['nano_usd', 'tokens'])
const window = OneOf(budgetWindows, {
	description: 'Calendar windows start in `time_zone`; weeks start on Monday',
})
const time_zone = Type.String({ maxLength: 64, examples: ['Europe/Berlin'], description: 'IANA name' })
const rolling_s = Nullable(
	Type.Integer({
		minimum: 60,
		maximum: 7_776_000,
		description: 'Length of a rolling window; null for other windows',
	}),
)
const mode = OneOf(['hard', 'soft'], { description: '`hard` refuses and stops calls, `soft` only notifies' })
const unpriced = OneOf(['deny', 'allow', 'ceiling'], {
	description:
		'Calls to models without a price: refused, allowed, or each counted as a fixed amount (`ceiling`)',
})
const unpriced_ceiling = Nullable(Limit)
const thresholds = Type.Array(Type.Integer({ minimum: 1, maximum: 100 }), {
	maxItems: 10,
	uniqueItems: true,
	description: 'Percentages at which `budget.threshold` is sent',
})
const contact = Type.String({ maxLength: 200, description: 'Whom to ask; shown in refusals' })

const Window = Strict(
	{
		spent: Amount,
		reserved: Type.String({ description: 'Reserved for running calls, and held in reserve by processes' }),
		uncertain: Type.String({
			description: 'Held by a process that ended without reporting; counts as spent until the window ends',
		}),
		left: Amount,
		window_start: Time,
		window_end: Time,
		exhausted_at: Nullable(Time),
	},
	{ title: 'BudgetState' },
)

const readOnly = {
	id: Id,
	scope,
	scope_id,
	unit,
	window,
	time_zone,
	rolling_s,
	created_at: Time,
	updated_at: Time,
}
const changeable = { name: Name, limit: Limit, mode, unpriced, unpriced_ceiling, thresholds, contact }
const state = Nullable(Window)

export const Budget = Strict(
	{ ...readOnly, ...changeable, enabled: Type.Boolean(), state },
	{
		title: 'Budget',
		description: 'The state is null where each agent, key, session or user has its own amount',
	},
)

const reading = byScope('budgets:read')
const writing = byScope('budgets:write')

export const budgetOperations = {
	list: operation({
		id: 'budgets.list',
		method: 'GET',
		path: '/v1/budgets',
		summary: 'List budgets with their spending',
		access: reading,
		query: Strict({
			...pageQuery,
			sort: OneOf(['created_at', 'updated_at', 'name'], { default: 'created_at' }),
			scope: Type.Optional(OneOf(budgetScopes, { description: 'Only budgets of this scope' })),
		}),
		status: 200,
		response: Strict({ budgets: Type.Array(Budget), pagination: Pagination }, { title: 'BudgetList' }),
	}),
	create: operation({
		id: 'budgets.create',
		method: 'POST',
		path: '/v1/budgets',
		summary: 'Limit what model calls may cost, or how many tokens they may use, in a period',
		description: 'Calls from before the budget was created are not counted.',
		access: writing,
		body: Strict({
			name: Name,
			scope,
			scope_id: Type.Optional(scope_id),
			unit: Type.Optional(unit),
			limit: Limit,
			window,
			time_zone: Type.Optional(time_zone),
			rolling_s: Type.Optional(rolling_s),
			mode: Type.Optional(mode),
			unpriced: Type.Optional(unpriced),
			unpriced_ceiling: Type.Optional(unpriced_ceiling),
			thresholds: Type.Optional(thresholds),
			contact: Type.Optional(contact),
			enabled: Type.Optional(Type.Boolean()),
		}),
		status: 201,
		response: Budget,
		problems: ['conflict'],
	}),
	get: operation({
		id: 'budgets.get',
		method: 'GET',
		path: '/v1/budgets/{id}',
		summary: 'Get a budget with its spending',
		access: reading,
		params: IdParams,
		status: 200,
		response: Budget,
		observed: ['state'],
	}),
	update: operation({
		id: 'budgets.update',
		method: 'PATCH',
		path: '/v1/budgets/{id}',
		summary: 'Change a budget; spending so far stays counted',
		description: 'Unchanged read-only fields are accepted.',
		access: writing,
		params: IdParams,
		body: Strict(
			{
				...optional({ ...readOnly, ...changeable }),
				enabled: Type.Optional(Type.Boolean()),
				state: Type.Optional(state),
			},
			{ minProperties: 1 },
		),
		status: 200,
		response: Budget,
	}),
	delete: operation({
		id: 'budgets.delete',
		method: 'DELETE',
		path: '/v1/budgets/{id}',
		summary: 'Delete a budget with its counters',
		access: writing,
		params: IdParams,
		status: 204,
		response: null,
	}),
	spending: operation({
		id: 'budgets.spending',
		method: 'GET',
		path: '/v1/budgets/{id}/spending',
		summary: 'Spending of each agent, key, session or user in the current window, highest first',
		access: reading,
		params: IdParams,
		query: Strict({ limit: Type.Integer({ minimum: 1, maximum: 1000, default: 50 }) }),
		status: 200,
		response: Strict(
			{
				spending: Type.Array(
					Strict({ scope_id: Nullable(Type.String()), state: Window }, { title: 'BudgetSpending' }),
				),
			},
			{ title: 'BudgetSpendingList' },
		),
	}),
}
