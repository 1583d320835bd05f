import { Type } from 'typebox'
import { byScope } from './access.ts'
import { Id, MapOf, Nullable, OneOf, Strict, Time } from './common.ts'
import { operation } from './operation.ts'
import { rangeQuery } from './telemetry.ts'

export const AuditRecord = Strict(
	{
		id: Id,
		at: Time,
		actor: Strict(
			{
				kind: OneOf(['user', 'platform_key', 'agent_key', 'ingest_token', 'system']),
				id: Nullable(Type.String()),
				name: Type.String(),
			},
			{ title: 'Actor' },
		),
		action: Type.String({
			description: '`area.verb`, `denied`, or `cut` for a call that was ended after it was sent',
		}),
		target: Nullable(
			Strict({ kind: Type.String(), id: Type.String(), name: Type.String() }, { title: 'AuditTarget' }),
		),
		detail: MapOf(Type.Unknown()),
		request_id: Nullable(Type.String()),
	},
	{ title: 'AuditRecord' },
)

/** The records in a list or an export; without a filter, all of them. */
const filters = {
	actor: Type.Optional(
		Type.String({ maxLength: 320, description: 'Only records of this actor, by id or name' }),
	),
	action: Type.Optional(
		Type.String({ maxLength: 100, description: '`area.verb`, or `area.*` for a whole area' }),
	),
	target: Type.Optional(
		Type.String({ maxLength: 320, description: 'Only records about this object, by id or name' }),
	),
	...rangeQuery,
}

const access = byScope('audit:read')

const AuditVerification = Strict(
	{
		intact: Type.Boolean(),
		records: Type.Integer({ description: 'Valid records, counted from the first one' }),
		head: Strict(
			{ seq: Type.Integer(), chain: Type.String() },
			{
				title: 'AuditHead',
				description:
					'Hash at the end of the chain. Kept elsewhere, it proves later that nothing before it was changed',
			},
		),
		bad: Nullable(
			Strict(
				{ seq: Type.Integer(), id: Nullable(Type.String()), reason: Type.String() },
				{ title: 'BadAuditRecord', description: 'The first invalid record' },
			),
		),
	},
	{ title: 'AuditVerification' },
)

/** The export is as long as the log, so it is a stream and not an operation with a schema. */
export const auditExport = {
	id: 'audit.export',
	method: 'GET',
	path: '/v1/audit/export',
	access,
	query: Strict({ format: OneOf(['jsonl', 'csv'], { default: 'jsonl' }), ...filters }),
} as const

export const auditOperations = {
	list: operation({
		id: 'audit.list',
		method: 'GET',
		path: '/v1/audit',
		summary: 'List changes and denied management calls, newest first',
		description:
			'`GET /v1/audit/export?format=jsonl` (or `csv`) with the same filters returns all of them as a file, oldest first.',
		access,
		query: Strict({
			...filters,
			limit: Type.Integer({ minimum: 1, maximum: 1000, default: 50 }),
			cursor: Type.Optional(Type.String({ maxLength: 400 })),
		}),
		status: 200,
		response: Strict(
			{ audit: Type.Array(AuditRecord), next_cursor: Nullable(Type.String()) },
			{ title: 'AuditList' },
		),
	}),
	verify: operation({
		id: 'audit.verify',
		method: 'GET',
		path: '/v1/audit/verify',
		summary: 'Recompute the chain of the audit log and name the first record that was changed or removed',
		description:
			'`signalbox audit verify` does the same for all workspaces, and finds chains that are missing.',
		access,
		status: 200,
		response: AuditVerification,
	}),
}
