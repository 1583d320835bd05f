import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ChangeFeed } from '../platform/changes.ts'
import type { MasterKeyRotation } from '../platform/crypto/master-key-rotation.ts'
import { plainPath } from '../platform/http/paths.ts'
import type { Route, RouteFamily } from '../platform/http/route.ts'
import { createRouter } from '../platform/http/router.ts'
import type { Log } from '../platform/log.ts'
import type { Processes } from '../platform/processes/processes.ts'

const changed = 'changed'

/**
 * Makes every process read the change feed as soon as one has committed a change, without waiting for the next poll. Returns the
 * function that notifies the others.
 */
export function shareChanges(feed: ChangeFeed, processes: Processes, log: Log): () => void {
	processes.answer(changed, () =>
		feed
			.catchUp()
			.catch((error: unknown) => log.warn({ err: error }, 'views: cannot read changes of another process')),
	)
	return () => processes.tell('all', changed)
}

const fileChanged = 'master-key.changed'

/** Makes workers reload the master key when the primary replaces it, so that they can open what the new key seals. */
export function shareMasterKey(masterKey: MasterKeyRotation, processes: Processes): void {
	processes.answer(fileChanged, () => masterKey.reread())
	masterKey.onFile(() => processes.tell('all', fileChanged))
}

type Handle = (request: IncomingMessage, response: ServerResponse) => void

/** The route families that workers serve. */
const ofWorkers: ReadonlySet<RouteFamily> = new Set(['mcp', 'model', 'otlp'])
/** An exception, because it calls the platform API. */
const platformMcp = 'mcp.platform'

/** In a worker: agents, models and telemetry are served here, everything else by the primary. */
export function serveOrForward(of: { routes: readonly Route[]; handle: Handle; forward: Handle }): Handle {
	const match = createRouter(of.routes)
	const isOwn = (request: IncomingMessage) => {
		const { path } = plainPath(request.url ?? '/')
		const found = match(request.method ?? 'GET', path)
		if (!found.found) return found.family !== null && ofWorkers.has(found.family)
		return ofWorkers.has(found.route.family) && found.route.id !== platformMcp
	}
	return (request, response) => {
		if (isOwnOrUnclear(isOwn, request)) of.handle(request, response)
		else of.forward(request, response)
	}
}

/** A path that the ingress refuses is refused here. */
function isOwnOrUnclear(isOwn: (request: IncomingMessage) => boolean, request: IncomingMessage): boolean {
	try {
		return isOwn(request)
	} catch {
		return true
	}
}
