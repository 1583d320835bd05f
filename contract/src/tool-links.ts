import { Type } from 'typebox'
import { Nullable, OneOf, Strict, Time } from './common.ts'

const place = { trace_id: Type.String(), span_id: Type.String() }

/** The tool that a model requested, the call that ran for it through the gateway, and where the result went. */
export const ToolLink = Strict(
	{
		tool_use_id: Nullable(Type.String({ description: 'Null when the provider gives none' })),
		name: Type.String({ description: 'As written by the model' }),
		asked_at: Time,
		asked_by: Strict(place, { title: 'ToolLinkAsked', description: 'The model call' }),
		runs: Type.Array(Strict({ ...place, status: Type.String() }, { title: 'ToolLinkRun' }), {
			description: 'The calls through the gateway',
		}),
		confidence: Nullable(
			OneOf(['exact', 'strong', 'weak'], {
				description:
					'`exact`: the client sent the id. `strong`: the only call of that tool with those arguments by that agent at that time. `weak`: several calls match, so none is named. Null: no call ran through the gateway',
			}),
		),
		returned_in: Nullable(
			Strict(place, {
				title: 'ToolLinkReturned',
				description: 'The first model call that carries the result',
			}),
		),
	},
	{ title: 'ToolLink' },
)
