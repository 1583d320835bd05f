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
import { savedViewRanges } from './saved-views.ts'
import { filterQuery } from './spotlight.ts'

/** What an alert watches: the figure of a saved view, or a built-in condition. */
export const alertKinds = [
	'question',
	'server_down',
	'definition_changed',
	'error_spike',
	'spend_spike',
	'agent_loop',
] as const
export type AlertKind = (typeof alertKinds)[number]
export const alertStatuses = ['ok', 'firing', 'no_data', 'unknown'] as const
export type AlertStatus = (typeof alertStatuses)[number]
export const alertFigures = [
	'calls',
	'errors',
	'error_rate',
	'latency_p50_ms',
	'latency_p95_ms',
	'latency_p99_ms',
	'tokens',
	'cost_usd',
	'unpriced_calls',
	'sessions',
	'users',
] as const
export type AlertFigure = (typeof alertFigures)[number]
export const alertConditions = ['above', 'below', 'rise', 'fall', 'no_data'] as const
export type AlertCondition = (typeof alertConditions)[number]

const status = OneOf(alertStatuses, {
	description: '`unknown`: it cannot be evaluated because a store does not answer',
})
const text = Type.String({ description: 'The reason for the state, in one sentence' })
const value = Nullable(Type.Number({ description: 'The figure that was compared' }))
const url = Type.String({ description: 'Address of the screen that shows it' })
const Mail = Nullable(
	OneOf(['waiting', 'sent', 'failed', 'no_mail_server'], {
		description: 'Outcome of the last e-mails; null: none were due',
	}),
)

const State = Strict(
	{ status, since: Time, value, text, url, evaluated_at: Nullable(Time), mail: Mail },
	{ title: 'AlertState' },
)

const settings = {
	threshold: Nullable(
		Type.Number({
			minimum: 0,
			description:
				'Threshold of the figure; percent for `rise` and `fall`; null for `no_data` and where nothing is counted',
		}),
	),
	for_s: Type.Integer({
		minimum: 0,
		maximum: 86_400,
		description: 'How long the condition must hold before the alert fires, and be gone before it resolves',
	}),
	interval_s: Type.Integer({ minimum: 60, maximum: 86_400, description: 'Evaluation interval' }),
	emails: Type.Array(Type.String({ format: 'email', maxLength: 254 }), {
		maxItems: 20,
		uniqueItems: true,
		description: 'E-mail addresses to notify',
	}),
	enabled: Type.Boolean(),
	muted_until: Nullable(
		Type.String({ format: 'date-time', description: 'No notification before this time' }),
	),
}
const watched = {
	question_id: Nullable(Id),
	figure: Nullable(OneOf(alertFigures, { description: 'The figure of all calls in the saved view' })),
	condition: Nullable(
		OneOf(alertConditions, { description: '`rise` and `fall` compare with the previous range' }),
	),
}
const readOnly = { id: Id, kind: OneOf(alertKinds), created_at: Time, updated_at: Time }

export const Alert = Strict(
	{ ...readOnly, name: Name, ...watched, ...settings, state: State },
	{
		title: 'Alert',
		description:
			'Only alerts of the kind `question` have a saved view (`question_id`), a figure and a condition',
	},
)

const Transition = Strict(
	{
		id: Id,
		at: Time,
		from: status,
		to: status,
		value,
		text,
		notified_status: Nullable(
			OneOf(['firing', 'resolved'], { description: 'The notification that was sent; null: none' }),
		),
	},
	{ title: 'AlertTransition' },
)

/** The data of `alert.firing`, `alert.resolved` and `alert.test`. */
export const AlertData = Strict(
	{
		alert: Strict({ id: Id, name: Type.String() }),
		kind: OneOf(alertKinds),
		status,
		value,
		text,
		url,
		since: Time,
		transition_id: Nullable(Id),
	},
	{ title: 'AlertData' },
)

const Firing = Strict(
	{
		from: Time,
		until: Nullable(Type.String({ format: 'date-time', description: 'Null: it would still be firing' })),
		value: Type.Number({ description: 'The figure when it began' }),
	},
	{ title: 'AlertFiring' },
)
const Preview = Strict(
	{
		start: Time,
		end: Time,
		interval_ms: Type.Integer({ description: 'How often the rule was applied' }),
		firings: Type.Array(Firing, { description: 'Oldest first' }),
		points: Type.Array(Strict({ at: Time, value, status }, { title: 'PreviewPoint' })),
	},
	{ title: 'AlertPreview' },
)

const reading = byScope('alerts:read')
const writing = byScope('alerts:write')

export const alertOperations = {
	list: operation({
		id: 'alerts.list',
		method: 'GET',
		path: '/v1/alerts',
		summary: 'List alerts with their states',
		access: reading,
		query: Strict({
			...pageQuery,
			sort: OneOf(['created_at', 'updated_at', 'name', 'status'], {
				default: 'status',
				description: '`status`, descending: firing ones first',
			}),
			status: Type.Optional(OneOf(alertStatuses, { description: 'Only those in this state' })),
			question_id: Type.Optional(Type.String({ description: 'Only those on this saved view' })),
		}),
		status: 200,
		response: Strict({ alerts: Type.Array(Alert), pagination: Pagination }, { title: 'AlertList' }),
	}),
	create: operation({
		id: 'alerts.create',
		method: 'POST',
		path: '/v1/alerts',
		summary: 'Create an alert on a figure of a saved view',
		access: writing,
		body: Strict({
			name: Name,
			question_id: Id,
			figure: OneOf(alertFigures),
			condition: OneOf(alertConditions),
			...optional(settings),
		}),
		status: 201,
		response: Alert,
		problems: ['conflict'],
	}),
	preview: operation({
		id: 'alerts.preview',
		method: 'POST',
		path: '/v1/alerts/preview',
		summary: 'How often an alert would have fired in the last days',
		description:
			'Applies the rule of an alert to the stored figures of up to seven days. Nothing is stored and nobody is notified.',
		access: byScope('spotlight:read'),
		body: Strict({
			question_id: Type.Optional(Id),
			range: Type.Optional(OneOf(savedViewRanges, { description: 'Without a saved view' })),
			filter: Type.Optional(Strict(filterQuery, { title: 'PreviewFilter' })),
			figure: OneOf(alertFigures),
			condition: OneOf(alertConditions),
			threshold: Type.Optional(settings.threshold),
			for_s: Type.Optional(settings.for_s),
		}),
		status: 200,
		response: Preview,
	}),
	get: operation({
		id: 'alerts.get',
		method: 'GET',
		path: '/v1/alerts/{id}',
		summary: 'Get an alert with its state',
		access: reading,
		params: IdParams,
		status: 200,
		response: Alert,
		observed: ['state'],
	}),
	history: operation({
		id: 'alerts.history',
		method: 'GET',
		path: '/v1/alerts/{id}/history',
		summary: 'The changes of an alert’s state in the last 90 days, newest first',
		access: reading,
		params: IdParams,
		query: Strict({ limit: Type.Integer({ minimum: 1, maximum: 1000, default: 50 }) }),
		status: 200,
		response: Strict({ transitions: Type.Array(Transition) }, { title: 'AlertHistory' }),
	}),
	update: operation({
		id: 'alerts.update',
		method: 'PATCH',
		path: '/v1/alerts/{id}',
		summary: 'Change, mute, turn off or turn on an alert',
		description: 'Unchanged read-only fields are accepted.',
		access: writing,
		params: IdParams,
		body: Strict(optional({ ...readOnly, name: Name, ...watched, ...settings, state: State }), {
			minProperties: 1,
		}),
		status: 200,
		response: Alert,
	}),
	test: operation({
		id: 'alerts.test',
		method: 'POST',
		path: '/v1/alerts/{id}/test',
		summary: 'Evaluate an alert now and send a test message; its state stays',
		access: writing,
		params: IdParams,
		status: 200,
		response: Strict({ status, value, text, url, mail: Mail }, { title: 'AlertTest' }),
	}),
	delete: operation({
		id: 'alerts.delete',
		method: 'DELETE',
		path: '/v1/alerts/{id}',
		summary: 'Delete an alert on a saved view; built-in alerts can only be turned off',
		access: writing,
		params: IdParams,
		status: 204,
		response: null,
		problems: ['conflict'],
	}),
}
