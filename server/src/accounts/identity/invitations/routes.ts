import { invitationOperations } from '@signalbox/contract'
import { type BoundOperation, bind } from '../../../platform/http/index.ts'
import { paginate } from '../../../platform/paging.ts'
import { personIn } from '../authenticate.ts'
import { callerOf } from '../caller.ts'
import type { IdentityContext } from '../context.ts'
import { answerSession } from '../sessions/answer-session.ts'
import { askingIn } from '../workspaces/context.ts'
import { acceptInvitation } from './accept-invitation.ts'
import { invite, resendInvitation, withdrawInvitation } from './change-invitations.ts'
import { presentInvitation } from './invitation-link.ts'
import { previewInvitation } from './preview-invitation.ts'
import { listOpenInvitations } from './repository.ts'

export function invitationRoutes(context: IdentityContext): BoundOperation[] {
	const { store, clock } = context
	return bind(invitationOperations, {
		list: async ({ params, query, context: door }) => {
			const { workspaceId } = askingIn(door, params.id)
			const { rows, total } = await listOpenInvitations(store.db, workspaceId, clock.nowMs(), query)
			const invitations = rows.map((row) => presentInvitation(row, row.inviter))
			return { invitations, pagination: paginate(query, total) }
		},
		create: ({ params, body, context: door }) => invite(context, askingIn(door, params.id), body),
		revoke: async ({ params, context: door }) =>
			void (await withdrawInvitation(context, askingIn(door, params.id), params.invitationId)),
		resend: ({ params, context: door }) =>
			resendInvitation(context, askingIn(door, params.id), params.invitationId),
		preview: ({ body, context: door }) => previewInvitation(context, body.token, door.clientAddress),
		accept: async ({ body, request, context: door, setHeader }) => {
			const signedIn = () => personIn(context, request, door.clientAddress)
			const session = await acceptInvitation(context, body, signedIn, callerOf(request, door))
			return answerSession(context, session, request, setHeader)
		},
	})
}
