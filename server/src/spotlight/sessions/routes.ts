import { spotlightSessionOperations } from '@signalbox/contract'
import { type BoundOperation, bind, type Principal, principalIn } from '../../platform/http/index.ts'
import { readSession, type SessionReads } from './read-session.ts'
import { readSessionId } from './session-id.ts'

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

/** Figures are one right, what people and models said is another. */
function mayReadMessages(principal: Principal): boolean {
	return principal.kind === 'user' || ('scopes' in principal && principal.scopes.has('telemetry:read'))
}
