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

export const modelLimitScopes = ['workspace', 'agent', 'key', 'connection'] as const
export type ModelLimitScope = (typeof modelLimitScopes)[number]

const amount = (maximum: number, description: string) =>
	Nullable(Type.Integer({ minimum: 1, maximum, description }))

const amounts = {
	requests_per_minute: amount(1_000_000, 'Allowed in one burst; refills evenly over a minute'),
	tokens_per_minute: amount(
		1_000_000_000,
		'Input and output tokens; estimated before a call and corrected after it',
	),
	concurrency: amount(10_000, 'Calls running at the same time'),
}
const scope = OneOf(modelLimitScopes, { description: 'Whose calls are counted together' })
const scope_id = Nullable(
	Type.String({
		minLength: 1,
		maxLength: 256,
		description:
			'Id of the agent or key, or name of the connection; null: each has the full limit. Null for a workspace.',
	}),
)
const readOnly = { id: Id, scope, scope_id, created_at: Time, updated_at: Time }
const settings = { name: Name, ...amounts, enabled: Type.Boolean() }

/** How many model calls are allowed; null: no limit. Each node counts separately. */
export const ModelLimit = Strict({ ...readOnly, ...settings }, { title: 'ModelLimit' })

const reading = byScope('budgets:read')
const writing = byScope('budgets:write')

export const modelLimitOperations = {
	list: operation({
		id: 'model-limits.list',
		method: 'GET',
		path: '/v1/model-limits',
		summary: 'List the limits of model calls',
		access: reading,
		query: Strict(pageQuery),
		status: 200,
		response: Strict(
			{ model_limits: Type.Array(ModelLimit), pagination: Pagination },
			{ title: 'ModelLimitList' },
		),
	}),
	create: operation({
		id: 'model-limits.create',
		method: 'POST',
		path: '/v1/model-limits',
		summary: 'Limit model calls: requests and tokens per minute, and concurrent calls',
		access: writing,
		body: Strict({
			scope,
			scope_id: Type.Optional(scope_id),
			...optional(settings),
			name: Name,
		}),
		status: 201,
		response: ModelLimit,
		problems: ['conflict'],
	}),
	get: operation({
		id: 'model-limits.get',
		method: 'GET',
		path: '/v1/model-limits/{id}',
		summary: 'Get a limit of model calls',
		access: reading,
		params: IdParams,
		status: 200,
		response: ModelLimit,
	}),
	update: operation({
		id: 'model-limits.update',
		method: 'PATCH',
		path: '/v1/model-limits/{id}',
		summary: 'Change a limit of model calls',
		description: 'Unchanged read-only fields are accepted.',
		access: writing,
		params: IdParams,
		body: Strict(optional({ ...readOnly, ...settings }), { minProperties: 1 }),
		status: 200,
		response: ModelLimit,
	}),
	delete: operation({
		id: 'model-limits.delete',
		method: 'DELETE',
		path: '/v1/model-limits/{id}',
		summary: 'Delete a limit of model calls',
		access: writing,
		params: IdParams,
		status: 204,
		response: null,
	}),
}
