import { Type } from 'typebox'
import { people, roles } from './access.ts'
import { Email, Password, Session } from './auth.ts'
import { Id, IdParams, Nullable, OneOf, Pagination, pageQuery, Strict, Time } from './common.ts'
import { operation } from './operation.ts'

const fields = {
	id: Id,
	email: Type.String(),
	role: OneOf(roles),
	invited_by: Nullable(Type.String({ description: 'E-mail address; null when that account was deleted' })),
	created_at: Time,
	expires_at: Time,
}
export const Invitation = Strict(fields, { title: 'Invitation' })

/** The link is returned only here, and only if no mail server can send it. */
export const NewInvitation = Strict(
	{
		...fields,
		mailed: Type.Boolean({ description: 'Whether the link was sent to the address' }),
		link: Type.Optional(
			Type.String({
				description: 'Only without a mail server: pass the link on yourself; it is not shown again',
			}),
		),
	},
	{ title: 'NewInvitation' },
)

const params = Strict({ id: Id, invitationId: Id })
const InvitationToken = Type.String({
	maxLength: 200,
	description: 'The part of the link after `#token=`; single use',
})

export const invitationOperations = {
	list: operation({
		id: 'invitations.list',
		method: 'GET',
		path: '/v1/workspaces/{id}/invitations',
		summary: 'List the invitations that are still open',
		access: people('audit:read'),
		params: IdParams,
		query: Strict(pageQuery),
		status: 200,
		response: Strict(
			{ invitations: Type.Array(Invitation), pagination: Pagination },
			{ title: 'InvitationList' },
		),
	}),
	create: operation({
		id: 'invitations.create',
		secrets: ['link'],
		method: 'POST',
		path: '/v1/workspaces/{id}/invitations',
		summary: 'Invite a person by e-mail',
		description:
			'The link works once, within `expires_in_days`. You can only invite to roles that you may assign.',
		access: people('members:write'),
		params: IdParams,
		body: Strict({
			email: Email,
			role: OneOf(roles, { default: 'member' }),
			expires_in_days: Type.Integer({ minimum: 1, maximum: 30, default: 7 }),
		}),
		status: 201,
		response: NewInvitation,
	}),
	revoke: operation({
		id: 'invitations.revoke',
		method: 'DELETE',
		path: '/v1/workspaces/{id}/invitations/{invitationId}',
		summary: 'Revoke an invitation: its link stops working',
		access: people('members:write'),
		params,
		status: 204,
		response: null,
	}),
	resend: operation({
		id: 'invitations.resend',
		method: 'POST',
		path: '/v1/workspaces/{id}/invitations/{invitationId}/resend',
		summary: 'Send a new link with the same lifetime; the old one stops working',
		access: people('members:write'),
		params,
		status: 200,
		response: NewInvitation,
	}),
	preview: operation({
		id: 'invitations.preview',
		method: 'POST',
		path: '/auth/invitations/preview',
		summary: 'Get what an invitation is for, before accepting it',
		access: { public: true },
		body: Strict({ token: InvitationToken }),
		status: 200,
		response: Strict(
			{
				workspace: Strict({ name: Type.String() }),
				email: Type.String(),
				role: OneOf(roles),
				account_exists: Type.Boolean(),
				needs: OneOf(['new_password', 'session', 'password'], {
					description:
						'What accepting needs: a password for the new account, being signed in as this person, or the password of an account that belongs to no workspace any more',
				}),
				expires_at: Time,
			},
			{ title: 'InvitationPreview' },
		),
		problems: ['invitation_invalid'],
	}),
	accept: operation({
		id: 'invitations.accept',
		method: 'POST',
		path: '/auth/invitations/accept',
		summary: 'Accept an invitation: a new person gets an account and a session, others join as themselves',
		description:
			'People with an account must be signed in with it (the access token in `Authorization`, or the dashboard’s cookie) and send the token alone; the answer then has no refresh token, because the session continues in this workspace. New people send a password, and so do people who belong to no workspace and therefore cannot sign in. People without a password sign in by their provider: without a workspace, that sign-in accepts the open invitations to their verified address.',
		access: { public: true },
		body: Strict({
			token: InvitationToken,
			name: Type.Optional(Type.String({ maxLength: 100 })),
			password: Type.Optional(Password),
		}),
		status: 200,
		response: Session,
		problems: [
			'invitation_invalid',
			'invitation_for_another',
			'signup_closed',
			'sign_in_required',
			'weak_password',
			'wrong_credentials',
			'password_login_off',
			'unauthenticated',
		],
	}),
}
