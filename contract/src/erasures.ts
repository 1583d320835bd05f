import { Type } from 'typebox'
import { people } from './access.ts'
import { Id, Nullable, OneOf, Pagination, pageQuery, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

const Subject = Type.String({ minLength: 1, maxLength: 256 })

export const Erasure = Strict(
	{
		id: Id,
		session_id: Nullable(Type.String()),
		user_id: Nullable(Type.String()),
		status: OneOf(['pending', 'done']),
		created_at: Time,
		erased_at: Nullable(Time),
	},
	{ title: 'Erasure' },
)

export const erasureOperations = {
	list: operation({
		id: 'telemetry-erasures.list',
		method: 'GET',
		path: '/v1/telemetry/erasures',
		summary: 'List erasures of telemetry',
		access: people('audit:read'),
		query: Strict({ ...pageQuery, sort: OneOf(['created_at'], { default: 'created_at' }) }),
		status: 200,
		response: Strict({ erasures: Type.Array(Erasure), pagination: Pagination }, { title: 'ErasureList' }),
	}),
	create: operation({
		id: 'telemetry-erasures.create',
		method: 'POST',
		path: '/v1/telemetry/erasures',
		summary: 'Erase the telemetry of one session or one person',
		description:
			'Deletes every trace that names the session or person, with all its spans, log records and scores, and all other log records and data points that name them, up to now. It cannot be undone. It is repeated on data that comes back with a restored backup.',
		access: people('recording:write'),
		body: Strict({
			session_id: Type.Optional(Subject),
			user_id: Type.Optional(Subject),
		}),
		status: 202,
		response: Erasure,
	}),
}
