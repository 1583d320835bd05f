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
		spans: Type.Integer({ description: 'Spans mapped again so far' }),
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
		summary: 'List renormalisations of stored spans',
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
		summary: 'Map stored spans of an older version of the program again',
		description:
			'Columns of spans with an older `mapper_version` are computed again from their attributes, as if the spans arrived now. Runs in the background, one day of data at a time.',
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
