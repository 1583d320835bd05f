import { Type } from 'typebox'
import { byRoleOrScope } from './access.ts'
import { Id, Nullable, OneOf, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

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
		action: Type.String({ description: '`area.verb`, or `denied`' }),
		target: Nullable(
			Strict({ kind: Type.String(), id: Type.String(), name: Type.String() }, { title: 'AuditTarget' }),
		),
		detail: Type.Record(Type.String(), Type.Unknown()),
		request_id: Nullable(Type.String()),
	},
	{ title: 'AuditRecord' },
)

export const auditOperations = {
	list: operation({
		id: 'audit.list',
		method: 'GET',
		path: '/v1/audit',
		summary: 'Who changed what, and which management calls were denied; newest first',
		access: byRoleOrScope('admin', 'audit:read'),
		query: Strict({
			limit: Type.Integer({ minimum: 1, maximum: 1000, default: 50 }),
			cursor: Type.Optional(Type.String({ maxLength: 400 })),
		}),
		status: 200,
		response: Strict(
			{ audit: Type.Array(AuditRecord), next_cursor: Nullable(Type.String()) },
			{ title: 'AuditList' },
		),
	}),
}
