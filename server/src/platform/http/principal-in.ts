import { Problem } from '../errors.ts'
import type { Principal, UserPrincipal } from './principal.ts'
import type { RequestContext } from './route.ts'

/** The caller of a route that is not public; the ingress has already judged the access rule. */
export function principalIn(context: RequestContext): Principal {
	if (!context.principal) throw new Problem('internal', 'A guarded route ran without a principal.')
	return context.principal
}

/** The signed-in person of a route for people only. */
export function userIn(context: RequestContext): UserPrincipal {
	const principal = principalIn(context)
	if (principal.kind !== 'user')
		throw new Problem('internal', 'A route for people ran for another kind of caller.')
	return principal
}
