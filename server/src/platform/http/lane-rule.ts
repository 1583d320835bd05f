import { plainPath } from './plain-path.ts'
import type { Route } from './route.ts'
import { createRouter } from './router.ts'

/** Which targets a `POST` may take the fast lane to: those of routes that say so. */
export function createLaneRule(routes: readonly Route[]): (target: string) => boolean {
	const match = createRouter(routes)
	return (target) => {
		try {
			const found = match('POST', plainPath(target).path)
			return found.found && found.route.lane === true
		} catch {
			// The ingress refuses such a path, whichever way it comes.
			return false
		}
	}
}
