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
import { attributeFilter } from './conditions.ts'
import { operation } from './operation.ts'
import { spanKinds } from './telemetry.ts'

export const forwarderKinds = ['otlp', 'syslog'] as const
export const forwardedSignals = ['spans', 'metrics', 'logs', 'audit'] as const
export type ForwardedSignal = (typeof forwardedSignals)[number]

const Url = Type.String({
	minLength: 1,
	maxLength: 2048,
	description:
		'OTLP/HTTP: the address that `/v1/traces`, `/v1/metrics` and `/v1/logs` are appended to. Syslog: `tls://host:port` or `tcp://host:port`',
	examples: ['https://collector.example.org:4318', 'tls://siem.example.org:6514'],
})
const Signals = Type.Array(OneOf(forwardedSignals), {
	minItems: 1,
	maxItems: forwardedSignals.length,
	uniqueItems: true,
	description: 'Signals to send; syslog takes only `audit`',
})
const Ids = (of: string) =>
	Type.Optional(
		Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
			...{ minItems: 1, maxItems: 100, uniqueItems: true },
			description: `Spans of these ${of} only, by id`,
		}),
	)
const Filter = Strict(
	{
		kinds: Type.Optional(
			Type.Array(OneOf(spanKinds), {
				minItems: 1,
				uniqueItems: true,
				description: 'Spans of these kinds only',
			}),
		),
		agents: Ids('agents'),
		servers: Ids('servers'),
		attributes: attributeFilter,
	},
	{ title: 'ForwarderFilter', description: 'Which data is sent; audit records are never filtered' },
)

const ForwarderState = Strict(
	{
		signal: OneOf(forwardedSignals),
		position: Type.String({
			description:
				'Everything before this is sent: the time when a row was stored, or the number of an audit record',
		}),
		lag_s: Type.Number({ description: 'Age of the oldest waiting row; 0 when none is waiting' }),
		sent: Type.Integer({ description: 'Rows or records that the receiver accepted' }),
		refused: Type.Integer({
			description: 'Rows or records that the receiver rejected permanently; not sent again',
		}),
		last_refusal: Nullable(Type.String()),
		sent_at: Nullable(Time),
		error: Nullable(Type.String({ description: 'Why the last attempt failed; it will be repeated' })),
		failing_since: Nullable(Time),
		next_attempt_at: Nullable(Time),
	},
	{ title: 'ForwarderState' },
)

const settings = {
	name: Name,
	url: Type.String(),
	signals: Type.Array(OneOf(forwardedSignals)),
	filter: Filter,
	enabled: Type.Boolean(),
}
const readOnly = {
	id: Id,
	kind: OneOf(forwarderKinds),
	header_names: Type.Array(Type.String(), {
		description: 'Names of the stored headers; values are never shown',
	}),
	state: Type.Array(ForwarderState),
	created_at: Time,
	updated_at: Time,
}
export const Forwarder = Strict({ ...readOnly, ...settings }, { title: 'Forwarder' })

const Headers = Type.Unsafe<Record<string, string>>(
	Type.Object(
		{},
		{
			additionalProperties: Type.String({ maxLength: 8192 }),
			maxProperties: 50,
			description:
				'Headers sent with every OTLP request, such as `authorization`; sealed, and bound to the origin of the address',
		},
	),
)

const ForwarderTest = Strict(
	{
		results: Type.Array(
			Strict({
				signal: OneOf(forwardedSignals),
				taken: Type.Boolean(),
				error: Nullable(Type.String()),
			}),
		),
	},
	{ title: 'ForwarderTest' },
)

const reading = byScope('forwarders:read')
const writing = byScope('forwarders:write')
const mayRead =
	'To forward audit records a key needs the scope `audit:read`; for spans, metrics and logs, `telemetry:read`.'

export const forwarderOperations = {
	list: operation({
		id: 'forwarders.list',
		method: 'GET',
		path: '/v1/forwarders',
		summary: 'List forwarders with their progress',
		access: reading,
		query: Strict({
			...pageQuery,
			sort: OneOf(['created_at', 'updated_at', 'name'], { default: 'created_at' }),
		}),
		status: 200,
		response: Strict(
			{ forwarders: Type.Array(Forwarder), pagination: Pagination },
			{ title: 'ForwarderList' },
		),
	}),
	create: operation({
		id: 'forwarders.create',
		method: 'POST',
		path: '/v1/forwarders',
		summary: 'Send telemetry or audit records to another system from now on, as they are stored',
		description: `Sends OTLP/HTTP (protobuf, gzip); audit records also as syslog (RFC 5424). Everything is sent at least once. ${mayRead}`,
		access: writing,
		body: Strict({
			name: Name,
			kind: OneOf(forwarderKinds),
			url: Url,
			signals: Signals,
			headers: Type.Optional(Headers),
			filter: Type.Optional(Filter),
			enabled: Type.Optional(Type.Boolean()),
		}),
		status: 201,
		response: Forwarder,
		problems: ['conflict', 'blocked_address'],
	}),
	get: operation({
		id: 'forwarders.get',
		method: 'GET',
		path: '/v1/forwarders/{id}',
		summary: 'Get a forwarder with its progress',
		access: reading,
		params: IdParams,
		status: 200,
		response: Forwarder,
		observed: ['state'],
	}),
	update: operation({
		id: 'forwarders.update',
		method: 'PATCH',
		path: '/v1/forwarders/{id}',
		summary: 'Change a forwarder; another origin erases its stored headers',
		description: `A signal that is added is sent from now on; the position of one that is removed is deleted. A forwarder that was off continues where it stopped. \`headers\` replaces all of them. ${mayRead}`,
		access: writing,
		params: IdParams,
		body: Strict(
			{
				...optional(readOnly),
				name: Type.Optional(Name),
				url: Type.Optional(Url),
				signals: Type.Optional(Signals),
				headers: Type.Optional(Headers),
				filter: Type.Optional(Filter),
				enabled: Type.Optional(Type.Boolean()),
			},
			{ minProperties: 1 },
		),
		status: 200,
		response: Forwarder,
		problems: ['blocked_address'],
	}),
	delete: operation({
		id: 'forwarders.delete',
		method: 'DELETE',
		path: '/v1/forwarders/{id}',
		summary: 'Delete a forwarder',
		access: writing,
		params: IdParams,
		status: 204,
		response: null,
	}),
	test: operation({
		id: 'forwarders.test',
		method: 'POST',
		path: '/v1/forwarders/{id}/test',
		summary:
			'Send the receiver an empty OTLP request for each signal, or one syslog message, and report its answer',
		access: writing,
		params: IdParams,
		status: 200,
		response: ForwarderTest,
	}),
}
