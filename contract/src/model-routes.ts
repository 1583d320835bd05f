import { Type } from 'typebox'
import { byScope } from './access.ts'
import {
	Id,
	IdParams,
	Nullable,
	OneOf,
	optional,
	Pagination,
	pageQuery,
	Strict,
	Time,
	Warnings,
} from './common.ts'
import { operation } from './operation.ts'

export const routeStrategies = ['ordered', 'weighted', 'least_latency'] as const
export type RouteStrategy = (typeof routeStrategies)[number]

const RouteTarget = Strict(
	{
		connection: Type.String({ minLength: 1, maxLength: 40, description: 'The name of a connection' }),
		model: Nullable(
			Type.String({
				minLength: 1,
				maxLength: 200,
				description: 'The model to request there; null: the one that the caller named',
			}),
		),
		weight: Type.Integer({ minimum: 1, maximum: 1000, description: 'Share of the calls, with `weighted`' }),
		for_models: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
			minItems: 1,
			maxItems: 50,
			uniqueItems: true,
			description: 'Requested models that the target is for; `*` matches any characters',
		}),
	},
	{ title: 'RouteTarget' },
)
const TargetInput = Strict({
	connection: RouteTarget.properties.connection,
	model: Type.Optional(RouteTarget.properties.model),
	weight: Type.Optional(RouteTarget.properties.weight),
	for_models: Type.Optional(RouteTarget.properties.for_models),
})

const timeout = (minimum: number, description: string) =>
	Nullable(Type.Integer({ minimum, maximum: 3_600_000, description }))

const name = Type.String({
	pattern: '^[a-z0-9]+([_-][a-z0-9]+)*$',
	maxLength: 40,
	description:
		'Used in `/proxy/{name}/…` like the name of a connection; no connection may have the same name',
})
const settings = {
	strategy: OneOf(routeStrategies, {
		description:
			'Which target is tried first: the first in the list, a random one by weight, or the fastest. The others follow when it fails',
	}),
	retries: Type.Integer({ minimum: 0, maximum: 5, description: 'Number of retries per target' }),
	first_token_timeout_ms: timeout(100, 'Time from the request to the first content; null: no limit'),
	idle_timeout_ms: timeout(100, 'Time between two chunks of an answer; null: 5 minutes'),
	total_timeout_ms: timeout(1000, 'Time for the whole call with all its attempts; null: no limit'),
}
const readOnly = { id: Id, name, created_at: Time, updated_at: Time }
const targets = Type.Array(TargetInput, { minItems: 1, maxItems: 20 })

/** Where calls go when a provider, key or model fails, or how they are distributed over several. */
export const ModelRoute = Strict(
	{ ...readOnly, ...settings, targets: Type.Array(RouteTarget), warnings: Warnings },
	{ title: 'ModelRoute' },
)

const reading = byScope('provider-keys:read')
const writing = byScope('provider-keys:write')

export const modelRouteOperations = {
	list: operation({
		id: 'routes.list',
		method: 'GET',
		path: '/v1/routes',
		summary: 'List the routes of model calls',
		access: reading,
		query: Strict(pageQuery),
		status: 200,
		response: Strict({ routes: Type.Array(ModelRoute), pagination: Pagination }, { title: 'ModelRouteList' }),
	}),
	create: operation({
		id: 'routes.create',
		method: 'POST',
		path: '/v1/routes',
		summary: 'Create a route: one name for several connections and models, with fallback and balancing',
		description:
			'The caller gets the first answer that starts successfully and does not see the failures before it. Stored keys are used, and an agent reaches only targets that it may call directly.',
		access: writing,
		body: Strict({ name, targets, ...optional(settings) }),
		status: 201,
		response: ModelRoute,
		problems: ['name_taken', 'conflict'],
	}),
	get: operation({
		id: 'routes.get',
		method: 'GET',
		path: '/v1/routes/{id}',
		summary: 'Get a route',
		access: reading,
		params: IdParams,
		status: 200,
		response: ModelRoute,
		observed: ['warnings'],
	}),
	update: operation({
		id: 'routes.update',
		method: 'PATCH',
		path: '/v1/routes/{id}',
		summary: 'Change a route; running calls are not affected',
		description: 'Unchanged read-only fields are accepted.',
		access: writing,
		params: IdParams,
		body: Strict(
			{ ...optional({ ...readOnly, ...settings, warnings: Warnings }), targets: Type.Optional(targets) },
			{ minProperties: 1 },
		),
		status: 200,
		response: ModelRoute,
	}),
	delete: operation({
		id: 'routes.delete',
		method: 'DELETE',
		path: '/v1/routes/{id}',
		summary: 'Delete a route',
		access: writing,
		params: IdParams,
		status: 204,
		response: null,
	}),
}
