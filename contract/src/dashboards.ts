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
import { operation } from './operation.ts'
import { savedViewReads } from './saved-views.ts'
import { filterQuery } from './spotlight.ts'

export const panelMeasures = ['calls', 'errors', 'latency', 'tokens', 'cost'] as const
export const panelGroups = ['model', 'agent', 'server', 'tool'] as const

const Panel = Strict(
	{
		id: Type.String({ minLength: 1, maxLength: 36, description: 'Unique on its dashboard' }),
		title: Type.String({ maxLength: 100 }),
		question_id: Nullable(
			Type.String({ maxLength: 36, description: 'The saved view to show; null: use `read` and `filter`' }),
		),
		read: OneOf(savedViewReads, { description: 'For a list: what calls are grouped by' }),
		filter: Strict(filterQuery, { title: 'PanelFilter' }),
		show: OneOf(['chart', 'list', 'figures'], { description: 'Figures over time, a ranked list, or totals' }),
		measure: OneOf(panelMeasures, { description: 'What a chart shows, or a list is sorted by' }),
		group_by: Nullable(OneOf(panelGroups, { description: 'What a chart is stacked by' })),
		width: Type.Integer({ minimum: 3, maximum: 12, description: 'Width in twelfths of the screen' }),
		height: Type.Integer({ minimum: 1, maximum: 3 }),
	},
	{ title: 'DashboardPanel' },
)
export type DashboardPanel = Static<typeof Panel>

const changeable = {
	name: Name,
	description: Type.String({ maxLength: 500 }),
	panels: Type.Array(Panel, { maxItems: 40, description: 'In reading order' }),
}
const readOnly = { id: Id, created_at: Time, updated_at: Time }

export const Dashboard = Strict({ ...readOnly, ...changeable }, { title: 'Dashboard' })

const reading = byScope('spotlight:read')
const writing = byScope('alerts:write', 'questions:write')

export const dashboardOperations = {
	list: operation({
		id: 'dashboards.list',
		method: 'GET',
		path: '/v1/dashboards',
		summary: 'List dashboards',
		access: reading,
		query: Strict({
			...pageQuery,
			sort: OneOf(['created_at', 'updated_at', 'name'], { default: 'name' }),
		}),
		status: 200,
		response: Strict(
			{ dashboards: Type.Array(Dashboard), pagination: Pagination },
			{ title: 'DashboardList' },
		),
	}),
	create: operation({
		id: 'dashboards.create',
		method: 'POST',
		path: '/v1/dashboards',
		summary: 'Create a dashboard: panels of saved views, for everyone in the workspace',
		access: writing,
		body: Strict({
			name: Name,
			...optional({ description: changeable.description, panels: changeable.panels }),
		}),
		status: 201,
		response: Dashboard,
		problems: ['conflict'],
	}),
	get: operation({
		id: 'dashboards.get',
		method: 'GET',
		path: '/v1/dashboards/{id}',
		summary: 'Get a dashboard',
		access: reading,
		params: IdParams,
		status: 200,
		response: Dashboard,
	}),
	update: operation({
		id: 'dashboards.update',
		method: 'PATCH',
		path: '/v1/dashboards/{id}',
		summary: 'Change a dashboard; `panels` replaces all of them',
		description: 'Unchanged read-only fields are accepted.',
		access: writing,
		params: IdParams,
		body: Strict(optional({ ...readOnly, ...changeable }), { minProperties: 1 }),
		status: 200,
		response: Dashboard,
	}),
	delete: operation({
		id: 'dashboards.delete',
		method: 'DELETE',
		path: '/v1/dashboards/{id}',
		summary: 'Delete a dashboard; its saved views stay',
		access: writing,
		params: IdParams,
		status: 204,
		response: null,
	}),
}
