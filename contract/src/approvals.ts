import { Type } from 'typebox'
import { byScope } from './access.ts'
import { Id, IdParams, Nullable, OneOf, Pagination, pageQuery, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

/** The state of an approval. `approved` waits for the call, or is valid for a period; the last four are final. */
export const approvalStatuses = ['pending', 'approved', 'used', 'denied', 'expired', 'revoked'] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]

/** Who can approve: only the workspace's approvers, or also the person who uses the agent. */
export const approvers = ['workspace', 'caller'] as const
export type Approver = (typeof approvers)[number]

const decision = {
	status: OneOf(approvalStatuses),
	reason: Nullable(Type.String({ description: 'The reason that the approver gave' })),
	decided_at: Nullable(Time),
	decided_by: Nullable(
		Strict({ kind: Type.String(), id: Nullable(Type.String()), name: Type.String() }, { title: 'Decider' }),
	),
}
const subject = {
	id: Id,
	agent: Strict({ uuid: Id, name: Type.String() }, { title: 'AskingAgent' }),
	server: Strict({ id: Id, name: Type.String(), slug: Type.String() }, { title: 'AskedServer' }),
	tool: Type.String(),
	asked_by: Nullable(
		Strict(
			{
				credential_id: Id,
				name: Type.String({ description: 'Name of the key, or of the client connected by OAuth' }),
				user: Nullable(Strict({ id: Id, email: Type.String() }, { title: 'PersonOfClient' })),
			},
			{ title: 'Asker', description: 'Who made the call; null for a call from the playground' },
		),
	),
}

export const Approval = Strict(
	{
		...subject,
		arguments: Type.Unsafe<Record<string, unknown>>(
			Type.Object(
				{},
				{ additionalProperties: true, description: 'Arguments of the call; secrets are `[redacted]`' },
			),
		),
		approver: OneOf(approvers),
		...decision,
		valid_until: Nullable({
			...Time,
			description:
				'Once approved: the time until which the call may be sent; with `for_minutes`, all calls of the tool',
		}),
		for_minutes: Nullable(Type.Integer({ description: 'Set when all calls of the tool are approved' })),
		used_at: Nullable({ ...Time, description: 'When the call was sent on' }),
		requested_at: Time,
		expires_at: Type.String({ format: 'date-time', description: 'The deadline for the decision' }),
	},
	{ title: 'Approval' },
)
const ApprovalList = Strict(
	{ approvals: Type.Array(Approval), pagination: Pagination },
	{ title: 'ApprovalList' },
)

/** The data of an approval's events; it never contains the arguments. */
export const ApprovalData = Strict(
	{ ...subject, ...decision, requested_at: Time, expires_at: Time },
	{ title: 'ApprovalData' },
)

/** Who may read an approval: keys and people that decide about approvals, and auditors. */
export const approvalReaders = byScope('approvals:decide', 'approvals:read')
const deciding = byScope('approvals:decide')

const Reason = Type.String({ maxLength: 500, description: 'Shown to the agent' })

export const approvalOperations = {
	list: operation({
		id: 'approvals.list',
		method: 'GET',
		path: '/v1/approvals',
		summary: 'List approvals, pending and decided',
		access: approvalReaders,
		query: Strict({
			...pageQuery,
			status: Type.Optional(OneOf(approvalStatuses)),
			agent_uuid: Type.Optional(Type.String({ maxLength: 64 })),
			server_id: Type.Optional(Type.String({ maxLength: 64 })),
			sort: OneOf(['requested_at', 'expires_at'], { default: 'requested_at' }),
		}),
		status: 200,
		response: ApprovalList,
	}),
	get: operation({
		id: 'approvals.get',
		method: 'GET',
		path: '/v1/approvals/{id}',
		summary: 'Get an approval with the arguments of its call',
		access: approvalReaders,
		params: IdParams,
		status: 200,
		response: Approval,
	}),
	approve: operation({
		id: 'approvals.approve',
		method: 'POST',
		path: '/v1/approvals/{id}/approve',
		summary: 'Approve the call once, or all calls of this tool by this agent for some minutes',
		description:
			'A waiting call runs within a second. A call that no longer waits runs when it is sent again within 15 minutes. The key that sent a call cannot approve it.',
		access: deciding,
		params: IdParams,
		body: Strict({
			for_minutes: Type.Optional(
				Type.Integer({
					minimum: 1,
					maximum: 1440,
					description: 'Approve all calls of this tool by this agent, with any arguments',
				}),
			),
			reason: Type.Optional(Reason),
		}),
		status: 200,
		response: Approval,
		problems: ['approval_decided'],
	}),
	deny: operation({
		id: 'approvals.deny',
		method: 'POST',
		path: '/v1/approvals/{id}/deny',
		summary: 'Deny the call; a repeat within 15 minutes gets the same answer',
		access: deciding,
		params: IdParams,
		body: Strict({ reason: Type.Optional(Reason) }),
		status: 200,
		response: Approval,
		problems: ['approval_decided'],
	}),
	revoke: operation({
		id: 'approvals.revoke',
		method: 'POST',
		path: '/v1/approvals/{id}/revoke',
		summary: 'Revoke an approval that is unused or still in effect',
		access: deciding,
		params: IdParams,
		status: 200,
		response: Approval,
		problems: ['approval_decided'],
	}),
}
