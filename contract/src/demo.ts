import { Type } from 'typebox'
import { operators, people } from './access.ts'
import { Id, Nullable, OneOf, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

export const demoStates = ['none', 'making', 'ready', 'failed'] as const
export type DemoState = (typeof demoStates)[number]
/** The notable incidents in the day of the demo. */
export const demoHighlights = ['agent_loop', 'changed_tool', 'budget_breach'] as const
export type DemoHighlightKind = (typeof demoHighlights)[number]

const Highlight = Strict(
	{
		kind: OneOf(demoHighlights),
		text: Type.String(),
		path: Type.String({ description: 'Path in the dashboard, after `/ui`' }),
	},
	{ title: 'DemoHighlight' },
)

export const Demo = Strict(
	{
		state: OneOf(demoStates),
		workspace_id: Nullable(Id),
		created_at: Nullable(Time),
		highlights: Type.Array(Highlight, { description: 'Set once it is ready' }),
	},
	{ title: 'Demo' },
)

export const demoOperations = {
	get: operation({
		id: 'demo.get',
		method: 'GET',
		path: '/v1/demo',
		summary: 'Get the state of the demo workspace',
		description: 'Operators see it from every workspace, others only from inside it.',
		access: people(),
		status: 200,
		response: Demo,
	}),
	create: operation({
		id: 'demo.create',
		method: 'POST',
		path: '/v1/demo',
		summary:
			'Create the demo, a workspace with a day of traffic that can be removed again; you become its owner',
		description:
			'It is created in the background within seconds: `GET /v1/demo` says when it is ready. An instance has at most one.',
		access: operators(),
		status: 202,
		response: Demo,
		problems: ['conflict'],
	}),
	delete: operation({
		id: 'demo.delete',
		method: 'DELETE',
		path: '/v1/demo',
		summary: 'Remove the demo workspace with everything in it, its telemetry too',
		access: operators(),
		status: 204,
		response: null,
		problems: ['last_workspace'],
	}),
}
