import { Type } from 'typebox'
import { byScope } from './access.ts'
import { Nullable, OneOf, Strict, Time } from './common.ts'
import { money, moneyOrNull } from './money.ts'
import { operation } from './operation.ts'
import { figures, Label, named } from './spotlight-figures.ts'

/** How a session is called: what the client named it. */
export const SessionParams = Strict({
	id: Type.String({
		minLength: 1,
		maxLength: 256,
		description: 'As the client names it; with a `/`, `\\` or leading `~` in it: `~` and base64url of it',
	}),
})

/** Why a session's messages are there, or are not. */
export const conversationStates = ['recorded', 'not_recorded', 'not_allowed', 'not_shared'] as const

const SessionMessage = Strict(
	{
		kind: OneOf(['system', 'message', 'answer', 'arguments', 'result'], {
			description: '`answer` is what the model said; a tool call has `arguments` and `result`',
		}),
		role: Label,
		text: Type.String({ description: 'JSON as it was sent, redacted' }),
		cut: Type.Boolean({ description: 'Whether the text is cut after 20,000 characters' }),
	},
	{ title: 'SessionMessage' },
)

export const sessionMoment = {
	turn: Type.Integer({
		description:
			'How many model calls began until then: a tool call belongs to the model call with the same number',
	}),
	kind: OneOf(['tool_call', 'model_call']),
	started_at: Time,
	duration_ms: Nullable(Type.Number({ description: 'Null without an outcome' })),
	gap_ms: Nullable(
		Type.Number({
			description: 'From the end of all that began before; 0 when something was still running, null at first',
		}),
	),
	status: Type.String(),
	error_type: Label,
	status_message: Type.String(),
	tool: Label,
	provider: Label,
	model: Label,
	tokens: Nullable(figures.tokens),
	...moneyOrNull('cost', 'Null for tool calls, and without a price'),
	...money('cost_so_far', 'Of the priced calls that began until then'),
	messages: Nullable(
		Type.Array(SessionMessage, {
			description:
				'Of a model call what is new against the calls before: the last 20, the answer last. Of a tool call its arguments and its result. Null where none is kept',
		}),
	),
}

/** What happened to a call on its way. */
const wayOfCall = {
	time_to_first_token_ms: Nullable(Type.Number({ description: 'Of a streamed model call' })),
	approval: Nullable(
		Strict(
			{ id: Label, decision: Type.String(), waited_ms: Type.Integer() },
			{ title: 'CallApproval', description: 'What a person decided about the call' },
		),
	),
	attempts: Type.Array(
		Strict(
			{ connection: Type.String(), model: Label, error_type: Label, duration_ms: Type.Number() },
			{ title: 'CallAttempt' },
		),
		{ description: 'Where a model route sent the call, one after the other: retries and fallbacks' },
	),
}

/** A call of a session in the order of time. */
const SessionCall = Strict(
	{ trace_id: Type.String(), span_id: Type.String(), server: named, ...sessionMoment, ...wayOfCall },
	{ title: 'SessionCall' },
)

export const sessionSpan = { started_at: Time, ended_at: Time }
export const sessionPage = {
	conversation: OneOf(conversationStates, {
		description:
			'Whether messages are there: `not_allowed` to a key without the scope `telemetry:read`, `not_recorded` where no call of this page has any',
	}),
	next_cursor: Label,
}

export const sessionPageQuery = {
	limit: Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'Calls on a page' }),
	cursor: Type.Optional(Type.String({ maxLength: 400 })),
}

export const spotlightSessionOperations = {
	session: operation({
		id: 'spotlight.session',
		method: 'GET',
		path: '/v1/spotlight/sessions/{id}',
		summary: 'One session: its model calls, tool calls and messages on one timeline, oldest first',
		description:
			'The figures are those of the whole session, the calls are paged. Each call is there once, however many recorded it.',
		access: byScope('spotlight:read'),
		params: SessionParams,
		query: Strict(sessionPageQuery),
		status: 200,
		response: Strict(
			{
				session_id: Type.String(),
				is_derived: Type.Boolean({ description: 'True: no client named it' }),
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
