import type { IncomingMessage, ServerResponse } from 'node:http'
import { Problem } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Log } from '../log.ts'
import { authorize } from './authorize.ts'
import type { LiveRequests } from './live-requests.ts'
import { plainPath } from './plain-path.ts'
import type { Principal } from './principal.ts'
import type { RefusalWriter, RequestContext, Route, RouteFamily } from './route.ts'
import { createRouter } from './router.ts'
import { toProblem } from './to-problem.ts'

/** Finds who calls, or throws a `Problem` (400, 401, 503); null when no credential was sent. */
export type Authenticate = (
	request: IncomingMessage,
	route: Route,
) => Principal | null | Promise<Principal | null>

export interface DoorOptions {
	routes: readonly Route[]
	authenticate: Authenticate
	refusals: Record<RouteFamily, RefusalWriter>
	/** Judges Host and Origin; a problem refuses the request before anything else is looked at. */
	checkOrigin(request: IncomingMessage, family: RouteFamily): Problem | null
	/** Told of each refusal of an authenticated caller, for the audit log; its failure refuses the request all the same. */
	onDenied(route: Route, principal: Principal, problem: Problem, requestId: string): void | Promise<void>
	liveRequests: LiveRequests
	log: Log
}

/**
 * The one door: every request of every protocol passes here, before Fastify and the data-plane handlers.
 * The order is fixed: Host → plain path → route → credential → access rule → handler.
 */
export function createDoor(
	options: DoorOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
	const match = createRouter(options.routes)
	return (request, response) => {
		const requestId = requestIdOf(request)
		response.setHeader('x-request-id', requestId)
		response.on('error', () => response.destroy())
		let family: RouteFamily = 'api'
		try {
			const { path, search } = plainPath(request.url ?? '/')
			const found = match(request.method ?? 'GET', path)
			if (found.found) family = found.route.family
			throwIf(options.checkOrigin(request, family))
			if (!found.found) throw notRouted(found.allowed)
			const context = newContext(options, request, response, { requestId, params: found.params, search })
			const passed = admit(options, request, found.route, context)
			const run = () => found.route.handle(request, response, context)
			const result = passed instanceof Promise ? passed.then(run) : run()
			if (result instanceof Promise)
				result.catch((error: unknown) => fail(options, request, response, family, error, requestId))
		} catch (error) {
			fail(options, request, response, family, error, requestId)
		}
	}
}

/** Authenticates and judges; stays synchronous when `authenticate` is, which it is for every known key. */
function admit(
	options: DoorOptions,
	request: IncomingMessage,
	route: Route,
	context: RequestContext,
): void | Promise<void> {
	if (route.access.public) return
	const principal = options.authenticate(request, route)
	if (principal instanceof Promise) return principal.then((found) => judge(options, route, found, context))
	return judge(options, route, principal, context)
}

function judge(
	options: DoorOptions,
	route: Route,
	principal: Principal | null,
	context: RequestContext,
): void | Promise<void> {
	const problem = authorize(route.access, principal)
	context.principal = principal
	if (!problem) return
	if (!principal || problem.status !== 403) throw problem
	return Promise.resolve(options.onDenied(route, principal, problem, context.requestId)).then(() => {
		throw problem
	})
}

function newContext(
	options: DoorOptions,
	request: IncomingMessage,
	response: ServerResponse,
	parts: Pick<RequestContext, 'requestId' | 'params' | 'search'>,
): RequestContext {
	return {
		...parts,
		principal: null,
		loopback: isLoopback(request.socket.remoteAddress),
		guard: (check, abort) => {
			response.once('close', options.liveRequests.add({ check, abort }))
		},
	}
}

function fail(
	options: DoorOptions,
	request: IncomingMessage,
	response: ServerResponse,
	family: RouteFamily,
	error: unknown,
	requestId: string,
): void {
	const problem = toProblem(error)
	if (problem.status >= 500)
		options.log.error({ err: problem.cause ?? problem, request_id: requestId }, 'request failed')
	if (response.headersSent) return void response.destroy()
	for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value)
	options.refusals[family](request, response, problem, requestId)
	// The rest of an unread body would otherwise hold the connection open.
	if (!request.complete) request.resume()
}

function notRouted(allowed: string[]): Problem {
	if (allowed.length === 0) return new Problem('not_found', 'There is nothing at this path.')
	const methods = allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed
	return new Problem('method_not_allowed', `This path takes ${methods.join(', ')}.`, {
		headers: { allow: methods.join(', ') },
	})
}

function throwIf(problem: Problem | null): void {
	if (problem) throw problem
}

function requestIdOf(request: IncomingMessage): string {
	const given = request.headers['x-request-id']
	return typeof given === 'string' && /^[\w.-]{1,128}$/.test(given) ? given : newId()
}

function isLoopback(address: string | undefined): boolean {
	return address === '::1' || /^(::ffff:)?127\./.test(address ?? '')
}
