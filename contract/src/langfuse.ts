import { Type } from 'typebox'
import type { Access } from './access.ts'
import { operation } from './operation.ts'

/** What Langfuse's SDKs send to their host besides spans, so that they can be pointed at Signalbox instead of Langfuse. */

/** With Basic authentication: any public key, and an ingest token as the secret key. */
const sending: Access = { kinds: ['ingest_token'] }

const LangfuseScore = Type.Object(
	{
		id: Type.Optional(Type.Union([Type.String(), Type.Null()])),
		traceId: Type.Optional(Type.Union([Type.String(), Type.Null()])),
		observationId: Type.Optional(Type.Union([Type.String(), Type.Null()])),
		sessionId: Type.Optional(Type.Union([Type.String(), Type.Null()])),
		name: Type.Optional(Type.String()),
		value: Type.Optional(Type.Union([Type.Number(), Type.String(), Type.Boolean(), Type.Null()])),
		dataType: Type.Optional(Type.Union([Type.String(), Type.Null()])),
		comment: Type.Optional(Type.Union([Type.String(), Type.Null()])),
		timestamp: Type.Optional(Type.Union([Type.String(), Type.Null()])),
	},
	{
		title: 'LangfuseScore',
		description: 'As Langfuse’s SDKs send it; other fields are dropped',
	},
)

export const langfuseOperations = {
	projects: operation({
		id: 'langfuse.projects',
		method: 'GET',
		path: '/api/public/projects',
		summary: 'Answer `auth_check` of Langfuse’s SDKs',
		description: 'Returns the workspace of the ingest token as a project.',
		access: sending,
		status: 200,
		response: Type.Object(
			{
				data: Type.Array(
					Type.Object(
						{
							id: Type.String(),
							name: Type.String(),
							organization: Type.Object(
								{ id: Type.String(), name: Type.String() },
								{ title: 'LangfuseOrganization' },
							),
							metadata: Type.Object({}),
						},
						{ title: 'LangfuseProject' },
					),
				),
			},
			{ title: 'LangfuseProjects' },
		),
	}),
	ingestion: operation({
		id: 'langfuse.ingestion',
		method: 'POST',
		path: '/api/public/ingestion',
		summary: 'Receive scores from Langfuse’s SDKs up to version 4, and version 5 for JavaScript',
		description:
			'Accepts `score-create` events. Other events are refused one by one in `errors`; send spans to `/api/public/otel/v1/traces`.',
		access: sending,
		body: Type.Object({
			batch: Type.Array(
				Type.Object({
					id: Type.String({ maxLength: 256 }),
					type: Type.String({ maxLength: 100 }),
					timestamp: Type.Optional(Type.String()),
					body: Type.Optional(Type.Unknown({ description: 'Of `score-create`: a score' })),
				}),
				{ maxItems: 1000 },
			),
		}),
		status: 207,
		response: Type.Object(
			{
				successes: Type.Array(
					Type.Object({ id: Type.String(), status: Type.Integer() }, { title: 'LangfuseSuccess' }),
				),
				errors: Type.Array(
					Type.Object(
						{
							id: Type.String(),
							status: Type.Integer(),
							message: Type.String(),
							error: Type.String(),
						},
						{ title: 'LangfuseError' },
					),
				),
			},
			{ title: 'LangfuseIngestion' },
		),
	}),
	scores: operation({
		id: 'langfuse.scores',
		method: 'POST',
		path: '/api/public/scores',
		summary: 'Receive one score or a list from Langfuse’s SDK 5 for Python',
		access: sending,
		body: Type.Union([LangfuseScore, Type.Array(LangfuseScore, { minItems: 1, maxItems: 1000 })]),
		status: 200,
		response: Type.Object(
			{ id: Type.String({ description: 'Id of the first score' }) },
			{ title: 'LangfuseScoreId' },
		),
	}),
}
