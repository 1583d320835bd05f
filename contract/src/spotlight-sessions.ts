import { Type } from 'typebox'
import { byScope } from './access.ts'
import { Nullable, OneOf, Strict, Time } from './common.ts'
import { money, moneyOrNull } from './money.ts'
import { operation } from './operation.ts'
import { figures, Label, named } from './spotlight-figures.ts'

/** The id of a session, as named by the client. */
export const SessionParams = Strict({
	id: Type.String({
		minLength: 1,
		maxLength: 256,
		description:
			'As named by the client; a name with `/`, `\\` or a leading `~` is written as `~` and its base64url',
	}),
})

/** Whether a session's messages are available, and why not. */
export const conversationStates = ['recorded', 'not_recorded', 'not_allowed', 'not_shared'] as const

const SessionMessage = Strict(
	{
		kind: OneOf(['system', 'message', 'answer', 'arguments', 'result'], {
			description: '`answer`: the output of the model; a tool call has `arguments` and `result`',
		}),
		role: Label,
		text: Type.String({ description: 'JSON as sent, redacted' }),
		cut: Type.Boolean({ description: 'Whether the text was cut after 20,000 characters' }),
	},
	{ title: 'SessionMessage' },
)

export const sessionMoment = {
	turn: Type.Integer({
		description:
			'Number of model calls started so far; a tool call belongs to the model call with the same number',
	}),
	kind: OneOf(['tool_call', 'model_call']),
	started_at: Time,
	duration_ms: Nullable(Type.Number({ description: 'Null without an outcome' })),
	gap_ms: Nullable(
		Type.Number({
			description:
				'Idle time since all earlier calls ended; 0 when one was still running, null for the first call',
		}),
	),
	status: Type.String(),
	error_type: Label,
	status_message: Type.String(),
	tool: Label,
	provider: Label,
	model: Label,
	tokens: Nullable(figures.tokens),
	...moneyOrNull('cost', 'Null for tool calls and calls without a price'),
	...money('cost_so_far', 'Sum over the priced calls started so far'),
	messages: Nullable(
		Type.Array(SessionMessage, {
			description:
				'For a model call: messages that earlier calls did not have, the last 20, the answer last. For a tool call: arguments and result. Null when not recorded',
		}),
	),
}

/** What happened to a call in the gateway or proxy. */
const wayOfCall = {
	time_to_first_token_ms: Nullable(Type.Number({ description: 'Only for streamed model calls' })),
	approval: Nullable(
		Strict(
			{ id: Label, decision: Type.String(), waited_ms: Type.Integer() },
			{ title: 'CallApproval', description: 'The decision of a person on the call' },
		),
	),
	attempts: Type.Array(
		Strict(
			{ connection: Type.String(), model: Label, error_type: Label, duration_ms: Type.Number() },
			{ title: 'CallAttempt' },
		),
		{ description: 'Attempts of a model route in order: retries and fallbacks' },
	),
}

/** A call of a session, in chronological order. */
const SessionCall = Strict(
	{ trace_id: Type.String(), span_id: Type.String(), server: named, ...sessionMoment, ...wayOfCall },
	{ title: 'SessionCall' },
)

export const sessionSpan = { started_at: Time, ended_at: Time }
export const sessionPage = {
	conversation: OneOf(conversationStates, {
		description:
			'Whether messages are included: `not_allowed` without the scope `telemetry:read`, `not_recorded` when no call on this page has any',
	}),
	next_cursor: Label,
}

export const sessionPageQuery = {
	limit: Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'Calls per page' }),
	cursor: Type.Optional(Type.String({ maxLength: 400 })),
}

export const spotlightSessionOperations = {
	session: operation({
		id: 'spotlight.session',
		method: 'GET',
		path: '/v1/spotlight/sessions/{id}',
		summary: 'Get one session: model calls, tool calls and messages on one timeline, oldest first',
		description:
			'The figures cover the whole session; the calls are paged. Each call appears once, no matter how many parties recorded it.',
		access: byScope('spotlight:read'),
		params: SessionParams,
		query: Strict(sessionPageQuery),
		status: 200,
		response: Strict(
			{
				session_id: Type.String(),
				is_derived: Type.Boolean({ description: 'True: derived, not named by a client' }),
				agent: named,
				user_id: Label,
				client: Label,
				...sessionSpan,
				...figures,
				...sessionPage,
				calls: Type.Array(SessionCall),
			},
			{ title: 'SpotlightSession' },
		),
		problems: ['not_found'],
	}),
}
