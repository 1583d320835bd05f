import { Type } from 'typebox'
import { byScope } from './access.ts'
import { Nullable, OneOf, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

/** Who saw a call, the outermost first. The model proxy's view of a model call is the gateway's. */
export const callSides = ['client', 'gateway', 'server'] as const
/** How sure it is that spans are views of one call. `weak` ones are shown, and counted apart. */
export const viewConfidences = ['exact', 'strong', 'weak'] as const

const Confidence = OneOf(viewConfidences, {
	description:
		'`exact`: one trace, or the ids of request and session, tool use or answer. `strong`: the only one with the same tool and server, session, client or arguments in that time. `weak`: the only one of the tool in that time; counted as a call of its own',
})

const CallView = Strict(
	{
		side: OneOf(callSides),
		trace_id: Type.String(),
		span_id: Type.String(),
		confidence: Confidence,
		is_counted: Type.Boolean({ description: 'Whether it stands for the call in all figures' }),
		is_ambiguous: Type.Boolean({
			description:
				'Whether it may be a view of one of several other calls, and it is unknown of which: it is not counted beside these',
		}),
		name: Type.String(),
		service_name: Nullable(Type.String()),
		status: Type.String(),
		started_at: Time,
		duration_ms: Nullable(Type.Number({ description: 'Null without an outcome' })),
		starts_after_ms: Type.Number({
			description:
				'From the start of the outermost view, as if all clocks were the same: where the clocks say that it began before or ended after the view around it, it lies in its middle',
		}),
		clock_offset_ms: Type.Number({
			description: 'By how much its clock seems to be ahead of that of the view around it; 0: nothing seen',
		}),
	},
	{ title: 'CallView' },
)

const CallViews = Strict(
	{
		kind: OneOf(['tool_call', 'model_call']),
		tool: Nullable(Type.String()),
		model: Nullable(Type.String()),
		views: Type.Array(CallView, { description: 'The outermost first' }),
		between: Type.Array(
			Strict(
				{
					outer: OneOf(callSides),
					inner: OneOf(callSides),
					duration_ms: Type.Number({
						description: 'What the inner does not account for: network and queues, there and back',
					}),
				},
				{ title: 'TimeBetween' },
			),
		),
	},
	{ title: 'CallViews' },
)

export const callViewOperations = {
	call_views: operation({
		id: 'spotlight.call_views',
		method: 'GET',
		path: '/v1/spotlight/calls/{trace_id}/{span_id}',
		summary: 'One call as its client, the gateway and its server saw it',
		description: 'Any of its spans may be named, in whichever trace. A view that nobody recorded is absent.',
		access: byScope('spotlight:read'),
		params: Strict({
			trace_id: Type.String({ maxLength: 32 }),
			span_id: Type.String({ maxLength: 16 }),
		}),
		status: 200,
		response: CallViews,
	}),
}
