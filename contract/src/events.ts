import { type TSchema, Type } from 'typebox'
import { type Access, byRoleOrScope } from './access.ts'
import { ApprovalData, decidersOnly } from './approvals.ts'
import { Id, Nullable, OneOf, Strict, Time } from './common.ts'
import { healthStatuses } from './server-schemas.ts'

/** One type of event: what it tells of, who may see it, and the form of its data. */
export interface EventKind {
	summary: string
	access: Access
	/** `live`: only on the stream, as it happens, and only when asked for by name. */
	live?: true
	data: TSchema
}

/** What somebody changed, as the audit log has it. */
export const ChangeData = Strict({
	actor: Strict({ kind: Type.String(), id: Nullable(Type.String()), name: Type.String() }),
	target: Nullable(Strict({ kind: Type.String(), id: Type.String(), name: Type.String() })),
	detail: Type.Unsafe<Record<string, unknown>>(
		Type.Object({}, { additionalProperties: true, description: '`{"truncated":true}` when it is too large' }),
	),
	request_id: Nullable(Type.String()),
	audit_id: Type.String(),
})

const named = Strict({ id: Id, name: Type.String() })
const HealthData = Strict({
	server: named,
	from: OneOf(healthStatuses),
	to: OneOf(healthStatuses),
	error: Nullable(Type.String()),
	checked_at: Time,
})
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

const ToolChangeData = Strict({
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
})
const ToolApprovalData = Strict({
	server: named,
	count: Type.Integer({ description: 'How many tools; the first 25 are named' }),
	tools: Type.Array(Strict({ tool: Type.String(), hash: Type.String() })),
})

const credential = (noun: string) => ({
	create: `${noun} was made`,
	update: `The name, expiry, addresses or scopes of ${noun.toLowerCase()} were changed`,
	rotate: `${noun} got a new secret, which waits for its first use`,
	'cancel-rotation': `The new secret of ${noun.toLowerCase()} was taken back`,
	activate: `The new secret of ${noun.toLowerCase()} was used for the first time`,
	revoke: `${noun} was revoked`,
})

const auditors = byRoleOrScope('admin', 'audit:read')

/** Changes by area and verb: the actions of the audit log. A change is an event because it has a record there. */
const changes: Record<string, { access: Access; verbs: Record<string, string> }> = {
	agents: {
		access: byRoleOrScope('viewer', 'agents:read'),
		verbs: {
			create: 'An agent was created',
			update: 'The name, description, groups or model access of an agent were changed',
			delete: 'An agent was deleted with its keys and grants',
			pause: 'An agent was paused',
			resume: 'An agent was resumed',
			stop: 'An agent was stopped',
			start: 'An agent was started',
		},
	},
	servers: {
		access: byRoleOrScope('viewer', 'servers:read'),
		verbs: {
			create: 'A server was registered',
			update: 'A server was changed',
			delete: 'A server was deleted',
			'refresh-tools': 'Somebody had the tools of a server listed anew',
			'call-tool': 'Somebody called a tool from the playground',
			'update-program': 'The hosts that a hosted program may reach were changed',
			'accept-without-sandbox': 'An owner accepted that a hosted program runs without a sandbox',
			'withdraw-acceptance': 'That acceptance was withdrawn',
			'install-program': 'Somebody had the package of a hosted program downloaded anew',
		},
	},
	access: {
		access: byRoleOrScope('viewer', 'access:read'),
		verbs: {
			create: 'An agent was given access to a server',
			update: 'A grant was changed',
			delete: 'A grant was removed',
		},
	},
	toolsets: {
		access: byRoleOrScope('viewer', 'access:read'),
		verbs: {
			create: 'A toolset was created',
			update: 'A toolset was changed, and with it the grants of its groups',
			delete: 'A toolset was deleted with its grants',
		},
	},
	'access-requests': {
		access: byRoleOrScope('admin', 'access:read'),
		verbs: {
			create: 'Somebody asked for access for an agent',
			grant: 'An admin gave the access that was asked for',
			decline: 'An admin declined a request for access',
		},
	},
	approvals: {
		access: decidersOnly,
		verbs: {
			request: 'An agent sent a call that needs the approval of a person',
			approve: 'A call was approved, once or for a time',
			deny: 'A call was denied',
			revoke: 'An approval was taken back',
			expire: 'A call was not decided in time, or not sent again after it was approved',
		},
	},
	keys: { access: byRoleOrScope('viewer', 'keys:read'), verbs: credential('A platform or agent key') },
	'ingest-tokens': { access: byRoleOrScope('viewer', 'keys:read'), verbs: credential('An ingest token') },
	'tool-definitions': {
		access: byRoleOrScope('viewer', 'servers:read'),
		verbs: { decide: 'Definitions of tools were approved or rejected' },
	},
	'provider-keys': {
		access: byRoleOrScope('viewer', 'provider-keys:read'),
		verbs: {
			create: 'A model connection was created',
			update: 'A model connection was changed',
			test: 'A model connection was tested',
			delete: 'A model connection was deleted',
		},
	},
	'upstream-credentials': {
		access: auditors,
		verbs: {
			replace: 'It was set how the platform gets credentials for a server by OAuth',
			connect: 'A person connected a server: for themselves, an agent or the workspace',
			disconnect: 'Tokens for a server were forgotten',
		},
	},
	authorizations: {
		access: auditors,
		verbs: {
			create: 'A person let a client act as an agent (OAuth)',
			revoke: 'A client that a person connected was disconnected',
		},
	},
	webhooks: {
		access: byRoleOrScope('admin', 'webhooks:read'),
		verbs: {
			create: 'A webhook was created',
			update: 'A webhook was changed',
			delete: 'A webhook was deleted',
			'rotate-secret': 'A webhook got a new signing secret',
			test: 'A test event was sent to a webhook',
			replay: 'A delivery was sent again by hand',
			disable: 'A webhook was turned off: its receiver is gone (410), or has failed for five days',
		},
	},
	limits: { access: auditors, verbs: { replace: 'The rate limits of the workspace were set' } },
	members: {
		access: auditors,
		verbs: {
			add: 'Somebody became a member by a group of their sign-in provider',
			update: 'The role of a member was changed',
			remove: 'A member was removed',
			leave: 'A member left',
		},
	},
	invitations: {
		access: auditors,
		verbs: {
			create: 'Somebody was invited',
			resend: 'An invitation was sent again',
			revoke: 'An invitation was revoked',
			accept: 'An invitation was accepted',
		},
	},
	workspaces: {
		access: auditors,
		verbs: { create: 'The workspace was created', update: 'The workspace was renamed' },
	},
	auth: {
		access: auditors,
		verbs: {
			setup: 'The first operator set the instance up',
			register: 'A person registered',
			login: 'A person signed in',
			logout: 'A person signed out',
			switch: 'A person switched to this workspace',
			verify: 'A person verified their e-mail address',
			forgot_password: 'A link to reset a password was asked for',
			reset_password: 'A password was reset',
			change_password: 'A password was changed',
			link_identity: 'A sign-in provider was linked to an account',
			unlink_identity: 'A sign-in provider was taken from an account',
			revoke_session: 'A session was ended',
		},
	},
	settings: { access: auditors, verbs: { update: 'Settings of the instance were changed' } },
	instance: {
		access: auditors,
		verbs: {
			rights: 'An operator changed what the workspace may do',
			grant_operator: 'A person became an operator',
			revoke_operator: 'A person is no operator any more',
			'rotate-master-key': 'The master key is being replaced',
			'rotate-signing-keys': 'A new signing key was made',
		},
	},
}

const changeTypes = Object.entries(changes).flatMap(([area, { access, verbs }]) =>
	Object.entries(verbs).map(([verb, summary]): [string, EventKind] => [
		`${area}.${verb}`,
		{ summary, access, data: ChangeData },
	]),
)

/**
 * Every type of event. `areas.verb` is a change that somebody made, named as in the audit log; `thing.happened` is what
 * the platform saw. `docs/events.md` shows this table and a test holds the two equal.
 */
export const eventTypes: Readonly<Record<string, EventKind>> = {
	...Object.fromEntries(changeTypes),
	'server.health_changed': {
		summary: 'A check found the health of a server changed',
		access: byRoleOrScope('viewer', 'servers:read'),
		data: HealthData,
	},
	'tool.definition_changed': {
		summary: 'A server offers tools that are new, changed or gone',
		access: byRoleOrScope('viewer', 'servers:read'),
		data: ToolChangeData,
	},
	'tool.suspended': {
		summary: 'Tools wait for the approval of their definition',
		access: byRoleOrScope('viewer', 'servers:read'),
		data: ToolChangeData,
	},
	'tool.approved': {
		summary: 'Somebody approved the definitions of tools',
		access: byRoleOrScope('viewer', 'servers:read'),
		data: ToolApprovalData,
	},
	'call.finished': {
		summary: 'A tool or model call through this process ended',
		access: byRoleOrScope('viewer', 'telemetry:read'),
		live: true,
		data: CallData,
	},
	'approval.requested': {
		summary: 'A call waits for the approval of a person',
		access: decidersOnly,
		data: ApprovalData,
	},
	'approval.approved': { summary: 'A person let a call run', access: decidersOnly, data: ApprovalData },
	'approval.denied': { summary: 'A person refused a call', access: decidersOnly, data: ApprovalData },
	'approval.expired': {
		summary: 'Nobody decided about a call in time, or it was not sent again after it was approved',
		access: decidersOnly,
		data: ApprovalData,
	},
	'webhook.test': {
		summary: 'Sent by the test button of a webhook, to that webhook only',
		access: byRoleOrScope('admin', 'webhooks:read'),
		data: Strict({ webhook_id: Id }),
	},
}

/** What may be asked for in place of a type: everything, or everything of an area. */
export const eventPatterns: readonly string[] = [
	'*',
	...new Set(Object.keys(eventTypes).map((type) => `${type.split('.')[0]}.*`)),
]

/** The stream of a workspace's events: server-sent events, so no operation with a schema. */
export const eventStream = {
	id: 'events.stream',
	method: 'GET',
	path: '/v1/events',
	access: byRoleOrScope('viewer', 'telemetry:read'),
	query: Strict({
		types: Type.Optional(
			Type.String({ maxLength: 2000, description: 'Types or `area.*`, with commas between them' }),
		),
	}),
} as const
