import { type TSchema, Type } from 'typebox'
import { type Access, byScope } from './access.ts'
import { AlertData } from './alerts.ts'
import { ApprovalData, approvalReaders } from './approvals.ts'
import { changes } from './audited-changes.ts'
import { budgetScopes } from './budgets.ts'
import { Id, Nullable, OneOf, Strict, Time } from './common.ts'
import { healthStatuses } from './server-schemas.ts'

/** One type of event: what it reports, who may see it, and the schema of its data, which has a title: see `toWebhooks`. */
export interface EventKind {
	summary: string
	access: Access
	/** `live`: only in the stream, as it happens, and only if it is requested by name. */
	live?: true
	data: TSchema
}

/** A change that somebody made, as in the audit log. */
const ChangeData = Strict(
	{
		actor: Strict({ kind: Type.String(), id: Nullable(Type.String()), name: Type.String() }),
		target: Nullable(Strict({ kind: Type.String(), id: Type.String(), name: Type.String() })),
		detail: Type.Unsafe<Record<string, unknown>>(
			Type.Object(
				{},
				{ additionalProperties: true, description: '`{"truncated":true}` when it is too large' },
			),
		),
		request_id: Nullable(Type.String()),
		audit_id: Type.String(),
	},
	{ title: 'ChangeData' },
)

const named = Strict({ id: Id, name: Type.String() })
const HealthData = Strict(
	{
		server: named,
		from: OneOf(healthStatuses),
		to: OneOf(healthStatuses),
		error: Nullable(Type.String()),
		checked_at: Time,
	},
	{ title: 'HealthData' },
)
const CallData = Strict({
	kind: OneOf(['tool_call', 'model_call']),
	status: Type.String(),
	error_type: Nullable(Type.String()),
	started_at: Time,
	duration_ms: Type.Number(),
	agent: Nullable(Strict({ uuid: Id, name: Type.String() })),
	server: Nullable(named),
	tool: Nullable(Type.String()),
	connection: Nullable(Type.String()),
	model: Nullable(Type.String()),
	session_id: Nullable(Type.String()),
	trace_id: Type.String(),
})

const BudgetData = Strict(
	{
		budget: named,
		scope: OneOf(budgetScopes),
		scope_id: Nullable(Type.String()),
		unit: OneOf(['nano_usd', 'tokens']),
		limit: Type.String(),
		spent: Type.String(),
		percent: Type.Integer({ description: 'The threshold; 100 for an exhausted budget' }),
		window_start: Time,
		window_end: Time,
	},
	{ title: 'BudgetData' },
)

const DroppedData = Strict(
	{
		day: Type.String({ format: 'date', description: 'In UTC' }),
		rows: Type.Integer({ description: 'Number of rows that the workspace lost' }),
		bytes: Type.Integer({ description: 'Size of that day on disk, of all workspaces' }),
		free_bytes: Type.Integer({ description: 'Free space before' }),
		reserve_bytes: Type.Integer({ description: 'Free space required' }),
	},
	{ title: 'DroppedData' },
)

const ToolChangeData = Strict(
	{
		server: named,
		count: Type.Integer({ description: 'How many tools; the first 25 are named' }),
		tools: Type.Array(
			Strict({
				tool: Type.String(),
				change: OneOf(['added', 'changed', 'removed']),
				hash: Nullable(Type.String()),
				state: Nullable(Type.String()),
				reason: Nullable(Type.String()),
			}),
		),
	},
	{ title: 'ToolChangeData' },
)
const ToolApprovalData = Strict(
	{
		server: named,
		count: Type.Integer({ description: 'How many tools; the first 25 are named' }),
		tools: Type.Array(Strict({ tool: Type.String(), hash: Type.String() })),
	},
	{ title: 'ToolApprovalData' },
)

const alertReaders = byScope('alerts:read')
const changeTypes = Object.entries(changes).flatMap(([area, { access, verbs }]) =>
	Object.entries(verbs).map(([verb, summary]): [string, EventKind] => [
		`${area}.${verb}`,
		{ summary, access, data: ChangeData },
	]),
)

/**
 * Every type of event. `areas.verb` is a change that somebody made, named as in the audit log; `thing.happened` is what the platform
 * observed. `docs/events.md` contains this table, and a test keeps the two equal.
 */
export const eventTypes: Readonly<Record<string, EventKind>> = {
	...Object.fromEntries(changeTypes),
	'server.health_changed': {
		summary: 'A check found that the health of a server changed',
		access: byScope('servers:read'),
		data: HealthData,
	},
	'tool.definition_changed': {
		summary: 'Tools of a server were added, changed or removed',
		access: byScope('servers:read'),
		data: ToolChangeData,
	},
	'tool.suspended': {
		summary: 'Tools were suspended until their definition is approved',
		access: byScope('servers:read'),
		data: ToolChangeData,
	},
	'tool.approved': {
		summary: 'Somebody approved the definitions of tools',
		access: byScope('servers:read'),
		data: ToolApprovalData,
	},
	'call.finished': {
		summary: 'A tool or model call through this process ended',
		access: byScope('telemetry:read'),
		live: true,
		data: CallData,
	},
	'approval.requested': {
		summary: 'A call waits for the approval of a person',
		access: approvalReaders,
		data: ApprovalData,
	},
	'approval.approved': { summary: 'A person approved a call', access: approvalReaders, data: ApprovalData },
	'approval.denied': { summary: 'A person denied a call', access: approvalReaders, data: ApprovalData },
	'approval.expired': {
		summary: 'A call was not decided in time, or not sent again after its approval',
		access: approvalReaders,
		data: ApprovalData,
	},
	'budget.threshold': {
		summary: 'A threshold of a budget was reached',
		access: byScope('budgets:read'),
		data: BudgetData,
	},
	'budget.exhausted': {
		summary:
			'A hard budget refused or stopped a call, for the first time in its window or since its limit was raised',
		access: byScope('budgets:read'),
		data: BudgetData,
	},
	'telemetry.dropped': {
		summary: 'The disk was nearly full, and the oldest day of telemetry was dropped',
		access: byScope('telemetry:read'),
		data: DroppedData,
	},
	'alert.firing': {
		summary: 'An alert fires, or fires for a further object',
		access: alertReaders,
		data: AlertData,
	},
	'alert.resolved': { summary: 'An alert is resolved', access: alertReaders, data: AlertData },
	'alert.test': { summary: 'Sent by the test button of an alert', access: alertReaders, data: AlertData },
	'webhook.test': {
		summary: 'Sent by the test button of a webhook, to that webhook only',
		access: byScope('webhooks:read'),
		data: Strict({ webhook_id: Id }, { title: 'WebhookTestData' }),
	},
}

/** What can be requested instead of a type: all events, or all events of an area. */
export const eventPatterns: readonly string[] = [
	'*',
	...new Set(Object.keys(eventTypes).map((type) => `${type.split('.')[0]}.*`)),
]

/** The stream of a workspace's events: server-sent events, so it is not an operation with a schema. */
export const eventStream = {
	id: 'events.stream',
	method: 'GET',
	path: '/v1/events',
	access: byScope('telemetry:read'),
	query: Strict({
		types: Type.Optional(
			Type.String({ maxLength: 2000, description: 'Types or `area.*`, separated by commas' }),
		),
	}),
} as const
