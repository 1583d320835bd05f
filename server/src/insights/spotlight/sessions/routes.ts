import { spotlightSessionOperations } from '@signalbox/contract'
import { type BoundOperation, bind, principalIn } from '../../../platform/http/index.ts'
import { mayReadMessages } from '../may-read-messages.ts'
import { readSession, readSessionId, type SessionReads } from './read-session.ts'

/** One session and what happened in it. */
export function openSessions(dependencies: SessionReads): BoundOperation[] {
	return bind(spotlightSessionOperations, {
		session: ({ params, query, context }) => {
			const principal = principalIn(context)
			const access = mayReadMessages(principal) ? 'allowed' : 'not_allowed'
			return readSession(dependencies, principal.workspaceId, readSessionId(params.id), query, access)
		},
	})
}
