import { Type } from 'typebox'
import { people } from './access.ts'
import { Id, Nullable, OneOf, Pagination, pageQuery, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

const TimeOrAge = Type.String({
	maxLength: 64,
	examples: ['-30d'],
	description: 'RFC 3339, or how long ago (`-30d`)',
})

export const Renormalisation = Strict(
	{
		id: Id,
		start: Time,
		end: Time,
		dialect: Nullable(Type.String()),
		status: OneOf(['pending', 'running', 'done']),
		spans: Type.Integer({ description: 'Spans that were mapped anew so far' }),
		created_at: Time,
		finished_at: Nullable(Time),
	},
	{ title: 'Renormalisation' },
)

export const renormalisationOperations = {
	list: operation({
		id: 'telemetry-renormalisations.list',
		method: 'GET',
		path: '/v1/telemetry/renormalisations',
		summary: 'List how stored spans were mapped anew',
		access: people('audit:read'),
		query: Strict({ ...pageQuery, sort: OneOf(['created_at'], { default: 'created_at' }) }),
		status: 200,
		response: Strict(
			{ renormalisations: Type.Array(Renormalisation), pagination: Pagination },
			{ title: 'RenormalisationList' },
		),
	}),
	create: operation({
		id: 'telemetry-renormalisations.create',
		method: 'POST',
		path: '/v1/telemetry/renormalisations',
		summary: 'Map stored spans anew that an older version of the program mapped',
		description:
			'Spans of senders whose `mapper_version` is older than that of this program get their columns from their attributes again, as if they came now. In the background, a day at a time.',
		access: people('recording:write'),
		body: Strict({
			start: Type.Optional(TimeOrAge),
			end: Type.Optional(TimeOrAge),
			dialect: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
		}),
		status: 202,
		response: Renormalisation,
	}),
}
