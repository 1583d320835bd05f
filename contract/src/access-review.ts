import { type Static, Type } from 'typebox'
import { byScope } from './access.ts'
import { accessModes, accessReasons, grantFields } from './access-grants.ts'
import { Groups } from './agents.ts'
import { Id, IdParams, Nullable, OneOf, Pagination, pageQuery, Strict, Time } from './common.ts'
import { operation } from './operation.ts'
import { ToolsetTools } from './toolsets.ts'

const pair = { server_id: Id, agent_uuid: Id }

/** One change of grants that is only simulated: like POST, PATCH and DELETE of a grant, or PATCH of a toolset. */
export const ProposedChange = Type.Union([
	Strict({ op: OneOf(['create', 'update']), ...pair, ...grantFields }, { title: 'ProposedGrant' }),
	Strict({ op: OneOf(['delete']), ...pair }, { title: 'ProposedRemoval' }),
	Strict(
		{ toolset_id: Id, tools: Type.Optional(ToolsetTools), groups: Type.Optional(Groups) },
		{ title: 'ProposedToolset' },
	),
])
export type ProposedChange = Static<typeof ProposedChange>

const days = (byDefault: number, description: string) =>
	Type.Integer({ minimum: 1, maximum: 90, default: byDefault, description })

export const accessChanges = ['newly_denied', 'newly_allowed', 'unknown'] as const

const SimulatedGroup = Strict(
	{
		change: OneOf(accessChanges),
		agent: Strict({ uuid: Id, name: Nullable(Type.String()) }, { title: 'RecordedAgent' }),
		server: Strict({ id: Id, name: Nullable(Type.String()) }, { title: 'RecordedServer' }),
		tool: Type.String(),
		calls: Type.Integer(),
		first_at: Time,
		last_at: Time,
		reason_before: OneOf(Object.keys(accessReasons)),
		reason_after: OneOf(Object.keys(accessReasons)),
		sample_trace_ids: Type.Array(Type.String(), { description: 'The newest, at most 3' }),
	},
	{ title: 'SimulatedGroup' },
)

const Simulation = Strict(
	{
		start: Time,
		end: Time,
		totals: Strict(
			{
				calls: Type.Integer(),
				newly_denied: Type.Integer(),
				newly_allowed: Type.Integer(),
				unknown: Type.Integer(),
				unchanged: Type.Integer(),
				without_server: Type.Integer({
					description: 'Among the unchanged calls: refused calls whose server is unknown',
				}),
			},
			{ title: 'SimulationTotals' },
		),
		groups: Type.Array(SimulatedGroup, { description: 'Most calls first' }),
		truncated: Type.Boolean({
			description: 'Whether there are more than 1,000 groups; totals count all',
		}),
	},
	{ title: 'Simulation' },
)

export const suggestionKinds = [
	'unseen_agent',
	'unused_grant',
	'all_to_used_tools',
	'unused_tools',
	'unused_tools_of_toolset',
] as const
export type SuggestionKind = (typeof suggestionKinds)[number]

const ToolUse = Strict(
	{ tool: Type.String(), calls: Type.Integer(), last_used_at: Time },
	{ title: 'ToolUse' },
)

/** In the form that `changes` of a simulation accepts. */
const SuggestedChange = Strict(
	{
		op: Type.Optional(OneOf(['update', 'delete'])),
		server_id: Type.Optional(Id),
		agent_uuid: Type.Optional(Id),
		access_mode: Type.Optional(OneOf(accessModes)),
		allowed_tools: Type.Optional(Type.Array(Type.String())),
		toolset_id: Type.Optional(Id),
		tools: Type.Optional(Type.Array(Strict({ server_id: Id, tools: Type.Array(Type.String()) }))),
	},
	{ title: 'SuggestedChange' },
)

const Evidence = Strict(
	{
		days: Type.Integer({ description: 'Days covered, at most as long as telemetry is kept' }),
		calls: Type.Integer({ description: 'Tool calls that were not refused' }),
		last_used_at: Nullable(Time),
		tools_used: Type.Array(ToolUse),
		tools_unused: Type.Array(Type.String()),
		given_at: Nullable(Time),
		changed_at: Nullable(Time),
	},
	{ title: 'SuggestionEvidence' },
)

const AccessSuggestion = Strict(
	{
		id: Type.String({ description: 'Stays the same while the suggestion stays the same' }),
		kind: OneOf(suggestionKinds),
		state: OneOf(['open', 'applied', 'reverted']),
		applicable: Type.Boolean({
			description: 'Whether `apply` can make the change; toolsets and groups must be changed by hand',
		}),
		agent: Nullable(Strict({ uuid: Id, name: Type.String() })),
		server: Nullable(Strict({ id: Id, name: Type.String() })),
		toolset: Nullable(Strict({ id: Id, name: Type.String() })),
		changes: Type.Array(SuggestedChange),
		evidence: Evidence,
		applied_at: Nullable(Time),
		reverted_at: Nullable(Time),
	},
	{ title: 'AccessSuggestion' },
)
export type AccessSuggestion = Static<typeof AccessSuggestion>

export const accessReviewOperations = {
	simulate: operation({
		id: 'access-review.simulate',
		method: 'POST',
		path: '/v1/access/simulate',
		summary: 'Which recorded calls a change of grants would newly deny or allow; nothing is changed',
		description:
			'Evaluates each recorded tool call with the present grants and with the changes, both as of now. `unknown`: the decision depends on arguments that were not recorded.',
		access: byScope('access:read'),
		body: Strict({
			changes: Type.Array(ProposedChange, { minItems: 1, maxItems: 500 }),
			days: Type.Optional(days(7, 'How many days back')),
		}),
		status: 200,
		response: Simulation,
	}),
	suggestions: operation({
		id: 'access-review.suggestions',
		method: 'GET',
		path: '/v1/access/suggestions',
		summary: 'Access that recorded calls did not use, with the change that would remove it',
		description:
			'Computed from tool calls of the last days that were not refused. Left out are grants and toolsets that were created or changed within that time, and disabled and expired grants.',
		access: byScope('access:read'),
		query: Strict({
			page: pageQuery.page,
			limit: pageQuery.limit,
			days: days(30, 'How many days back'),
			state: OneOf(['open', 'applied', 'reverted'], {
				default: 'open',
				description: 'Open, applied or reverted suggestions',
			}),
		}),
		status: 200,
		response: Strict(
			{ suggestions: Type.Array(AccessSuggestion), pagination: Pagination },
			{ title: 'AccessSuggestionList' },
		),
	}),
	apply: operation({
		id: 'access-review.apply',
		method: 'POST',
		path: '/v1/access/suggestions/{id}/apply',
		summary: 'Make the change of a suggestion, in one transaction',
		description:
			'409 `suggestion_outdated` when a grant or its use has changed since. The previous grants are kept for `revert`.',
		access: byScope('access:write'),
		params: IdParams,
		status: 200,
		response: AccessSuggestion,
	}),
	revert: operation({
		id: 'access-review.revert',
		method: 'POST',
		path: '/v1/access/suggestions/{id}/revert',
		summary: 'Restore exactly what an applied suggestion changed',
		description: '409 `grant_changed`, naming what differs, when somebody has changed a grant since.',
		access: byScope('access:write'),
		params: IdParams,
		status: 200,
		response: AccessSuggestion,
	}),
}
