import { type Static, Type } from 'typebox'
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
import { type OutputOf, operation } from './operation.ts'
import { filterQuery, spotlightLists, spotlightOperations, spotlightSorts } from './spotlight.ts'

/** The Spotlight query of a saved view: `GET /v1/spotlight/{read}`. */
export const savedViewReads = ['overview', 'timeseries', ...spotlightLists] as const
export type SavedViewRead = (typeof savedViewReads)[number]
/** How far back a saved view reads from the time at which it is opened. */
export const savedViewRanges = ['15m', '1h', '6h', '24h', '7d', '30d'] as const

const SavedViewFilter = Strict(filterQuery, { title: 'QuestionFilter' })

/** A Spotlight query whose range ends now. */
export interface Asked {
	read: SavedViewRead
	range: (typeof savedViewRanges)[number]
	filter: Static<typeof SavedViewFilter>
	compare: boolean
	sort: (typeof spotlightSorts)[number]
}

const changeable = {
	name: Name,
	read: OneOf(savedViewReads, { description: 'Which Spotlight endpoint: `GET /v1/spotlight/{read}`' }),
	range: OneOf(savedViewRanges, { description: 'Time range back from now' }),
	filter: SavedViewFilter,
	compare: Type.Boolean({ description: 'Also return the previous range; for `overview`' }),
	sort: OneOf(spotlightSorts, { description: 'For lists; largest first' }),
	address: Nullable(
		Type.String({
			pattern: '^/([a-z0-9-]+(/[^/?#\\s]+)*)?([?]\\S*)?$',
			maxLength: 4000,
			description: 'Path of the dashboard list that it shows, below the workspace; null: Spotlight',
			examples: ['/tools?sort=-errors'],
		}),
	),
}
const readOnly = { id: Id, created_at: Time, updated_at: Time }

export const SavedView = Strict({ ...readOnly, ...changeable }, { title: 'Question' })

const { overview, timeseries, tools, resources, prompts, servers, agents, models } = spotlightOperations
const { users, clients, sessions, errors } = spotlightOperations
const lists = [tools, resources, prompts, servers, agents, models, users, clients, sessions, errors] as const
const Answer = Type.Unsafe<OutputOf<typeof overview | typeof timeseries | (typeof lists)[number]>>(
	Type.Union([overview, timeseries, ...lists].map(({ response }) => response)),
)
const reading = byScope('spotlight:read')
const writing = byScope('alerts:write', 'questions:write')

export const savedViewOperations = {
	list: operation({
		id: 'questions.list',
		method: 'GET',
		path: '/v1/questions',
		summary: 'List saved views',
		access: reading,
		query: Strict({
			...pageQuery,
			sort: OneOf(['created_at', 'updated_at', 'name'], { default: 'created_at' }),
		}),
		status: 200,
		response: Strict({ questions: Type.Array(SavedView), pagination: Pagination }, { title: 'QuestionList' }),
	}),
	create: operation({
		id: 'questions.create',
		method: 'POST',
		path: '/v1/questions',
		summary: 'Save a Spotlight query under a name',
		access: writing,
		body: Strict({
			name: changeable.name,
			read: changeable.read,
			...optional({
				range: changeable.range,
				filter: changeable.filter,
				compare: changeable.compare,
				sort: changeable.sort,
				address: changeable.address,
			}),
		}),
		status: 201,
		response: SavedView,
		problems: ['conflict'],
	}),
	get: operation({
		id: 'questions.get',
		method: 'GET',
		path: '/v1/questions/{id}',
		summary: 'Get a saved view',
		access: reading,
		params: IdParams,
		status: 200,
		response: SavedView,
	}),
	answer: operation({
		id: 'questions.answer',
		method: 'GET',
		path: '/v1/questions/{id}/answer',
		summary: 'Run a saved view now',
		description: 'The answer is that of `GET /v1/spotlight/{read}`.',
		access: reading,
		params: IdParams,
		status: 200,
		response: Strict(
			{
				question: SavedView,
				answer: Answer,
			},
			{ title: 'QuestionAnswer' },
		),
		observed: ['answer'],
	}),
	update: operation({
		id: 'questions.update',
		method: 'PATCH',
		path: '/v1/questions/{id}',
		summary: 'Change a saved view, and with it what its alerts watch',
		description: 'Unchanged read-only fields are accepted.',
		access: writing,
		params: IdParams,
		body: Strict(optional({ ...readOnly, ...changeable }), { minProperties: 1 }),
		status: 200,
		response: SavedView,
	}),
	delete: operation({
		id: 'questions.delete',
		method: 'DELETE',
		path: '/v1/questions/{id}',
		summary: 'Delete a saved view that no alert watches',
		access: writing,
		params: IdParams,
		status: 204,
		response: null,
		problems: ['conflict'],
	}),
}
