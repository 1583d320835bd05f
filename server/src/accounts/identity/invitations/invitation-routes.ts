import { invitationOperations } from '@signalbox/contract'
import { type BoundOperation, bind } from '../../../platform/http/index.ts'
import { paginate } from '../../../platform/paging.ts'
import { personIn } from '../authenticate.ts'
import { callerOf, type IdentityContext } from '../identity-context.ts'
import { answerSession } from '../sessions/open-session.ts'
import { askingIn } from '../workspaces/workspace-context.ts'
import { acceptInvitation, previewInvitation } from './accept-invitation.ts'
import { invite, presentInvitation, resendInvitation, withdrawInvitation } from './change-invitations.ts'
import { listOpenInvitations } from './invitation-repository.ts'

export function invitationRoutes(context: IdentityContext): BoundOperation[] {
	const { store, clock } = context
	return bind(invitationOperations, {
		list: async ({ params, query, context: requestContext }) => {
			const { workspaceId } = askingIn(requestContext, params.id)
			const { rows, total } = await listOpenInvitations(store.db, workspaceId, clock.nowMs(), query)
			const invitations = rows.map((row) => presentInvitation(row, row.inviter))
			return { invitations, pagination: paginate(query, total) }
		},
		create: ({ params, body, context: requestContext }) =>
			invite(context, askingIn(requestContext, params.id), body),
		revoke: async ({ params, context: requestContext }) =>
			void (await withdrawInvitation(context, askingIn(requestContext, params.id), params.invitationId)),
		resend: ({ params, context: requestContext }) =>
			resendInvitation(context, askingIn(requestContext, params.id), params.invitationId),
		preview: ({ body, context: requestContext }) =>
			previewInvitation(context, body.token, requestContext.clientAddress),
		accept: async ({ body, request, context: requestContext, setHeader }) => {
			const signedIn = () => personIn(context, request, requestContext.clientAddress)
			const session = await acceptInvitation(context, body, signedIn, callerOf(request, requestContext))
			return answerSession(context, session, request, setHeader)
		},
	})
}
