import { Type } from 'typebox'
import { operators } from './access.ts'
import { Nullable, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

const DenialCount = Strict(
	{
		minute: Time,
		address: Type.String({ description: 'Address of the client; empty beyond 10,000 addresses at once' }),
		code: Type.String({ description: 'Code of the error that was returned' }),
		count: Type.Integer(),
	},
	{ title: 'DenialCount' },
)

export const denialOperations = {
	list: operation({
		id: 'denials.list',
		method: 'GET',
		path: '/v1/denials',
		summary: 'Refusals of callers without a valid credential, by address and minute, newest first',
		description:
			'Counts answers 401, 403 and 429 of routes and of sign-in, kept for 30 days. Denials of known callers are in the audit log of their workspace.',
		access: operators(),
		query: Strict({
			limit: Type.Integer({ minimum: 1, maximum: 1000, default: 50 }),
			cursor: Type.Optional(Type.String({ maxLength: 1000 })),
		}),
		status: 200,
		response: Strict(
			{ denials: Type.Array(DenialCount), next_cursor: Nullable(Type.String()) },
			{ title: 'DenialList' },
		),
	}),
}
