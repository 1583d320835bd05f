import { type Static, Type } from 'typebox'
import { byRoleOrScope } from './access.ts'
import { accessReasons, grantFields } from './access-grants.ts'
import { Groups } from './agents.ts'
import { Id, Nullable, OneOf, Strict, Time } from './common.ts'
import { operation } from './operation.ts'
import { ToolsetTools } from './toolsets.ts'

const pair = { server_id: Id, agent_uuid: Id }

/** One change of grants that is not made, only judged: as POST, PATCH and DELETE of a grant, or PATCH of a toolset. */
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
					description: 'Of those unchanged: refused calls of which no server can be told',
				}),
			},
			{ title: 'SimulationTotals' },
		),
		groups: Type.Array(SimulatedGroup, { description: 'Most calls first' }),
		truncated: Type.Boolean({
			description: 'Whether there are groups beyond the first 1,000; totals count all',
		}),
	},
	{ title: 'Simulation' },
)

export const accessReviewOperations = {
	simulate: operation({
		id: 'access-review.simulate',
		method: 'POST',
		path: '/v1/access/simulate',
		summary: 'Which recorded calls a change of grants would newly deny or allow; nothing is changed',
		description:
			'Judges each tool call of the last days twice as of now: under the present grants, and with the changes made one after the other. What was answered when the call was made does not count. `unknown`: the verdict depends on arguments that were not recorded.',
		access: byRoleOrScope('viewer', 'access:read'),
		body: Strict({
			changes: Type.Array(ProposedChange, { minItems: 1, maxItems: 500 }),
			days: Type.Optional(days(7, 'How far back to look')),
		}),
		status: 200,
		response: Simulation,
	}),
}
