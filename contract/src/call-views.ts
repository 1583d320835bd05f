import { Type } from 'typebox'
import { byScope } from './access.ts'
import { Nullable, OneOf, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

/** The sides that record a call, outermost first. The model proxy's view of a model call is the gateway's. */
export const callSides = ['client', 'gateway', 'server'] as const
/** How certain it is that spans are views of one call. `weak` ones are shown, and counted separately. */
export const viewConfidences = ['exact', 'strong', 'weak'] as const

const Confidence = OneOf(viewConfidences, {
	description:
		'`exact`: matched by trace, by request and session id, or by the id of the tool use or answer. `strong`: the only call at that time with the same tool and server, session, client or arguments. `weak`: the only call of the tool at that time; counted as a separate call',
})

const CallView = Strict(
	{
		side: OneOf(callSides),
		trace_id: Type.String(),
		span_id: Type.String(),
		confidence: Confidence,
		is_counted: Type.Boolean({ description: 'Whether this view represents the call in all figures' }),
		is_ambiguous: Type.Boolean({
			description:
				'Whether it belongs to one of several calls without it being known to which; it is not counted in addition to them',
		}),
		name: Type.String(),
		service_name: Nullable(Type.String()),
		status: Type.String(),
		started_at: Time,
		duration_ms: Nullable(Type.Number({ description: 'Null without an outcome' })),
		starts_after_ms: Type.Number({
			description:
				'Start relative to the outermost view, corrected for clock differences: a view whose clock places it outside the enclosing view is centred in it',
		}),
		clock_offset_ms: Type.Number({
			description: 'How far its clock seems to be ahead of that of the enclosing view; 0: no difference seen',
		}),
	},
	{ title: 'CallView' },
)

const CallViews = Strict(
	{
		kind: OneOf(['tool_call', 'model_call']),
		tool: Nullable(Type.String()),
		model: Nullable(Type.String()),
		views: Type.Array(CallView, { description: 'Outermost first' }),
		between: Type.Array(
			Strict(
				{
					outer: OneOf(callSides),
					inner: OneOf(callSides),
					duration_ms: Type.Number({
						description:
							'Time that the inner view does not account for: network and queues in both directions',
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
		description: 'Any span of the call may be given, in any trace. A view that was not recorded is absent.',
		access: byScope('spotlight:read'),
		params: Strict({
			trace_id: Type.String({ maxLength: 32 }),
			span_id: Type.String({ maxLength: 16 }),
		}),
		status: 200,
		response: CallViews,
	}),
}
