import type { IncomingMessage, ServerResponse } from 'node:http'
import { Problem } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Log } from '../log.ts'
import type { Overload } from '../overload/overload.ts'
import { type ClientAddressOf, isLoopbackAddress, peerOf } from './client-address.ts'
import type { LiveRequests } from './live-requests.ts'
import { plainPath } from './paths.ts'
import { CallerRefused, type Principal } from './principal.ts'
import type { RateLimiter } from './rate-limiter.ts'
import { FaultLog, toProblem } from './refusals.ts'
import { authorize, type RefusalWriter, type RequestContext, type Route, type RouteFamily } from './route.ts'
import { createRouter } from './router.ts'

/**
 * Identifies the caller, or throws a `Problem` (400, 401, 503, and `CallerRefused` 403 for an address from which the credential may
 * not be used). Null if no credential was sent.
 */
export type Authenticate = (
	request: IncomingMessage,
	route: Route,
	clientAddress: string,
) => Principal | null | Promise<Principal | null>

export interface IngressOptions {
	routes: readonly Route[]
	authenticate: Authenticate
	refusals: Record<RouteFamily, RefusalWriter>
	/** Checks Host and Origin before anything else; a returned problem refuses the request. */
	checkOrigin(request: IncomingMessage, family: RouteFamily): Problem | null
	/** Called with each refusal of an authenticated caller, for the audit log. The request is refused even if this fails. */
	onDenied(route: Route, principal: Principal, problem: Problem, requestId: string): void | Promise<void>
	/** Called with each refusal of an unauthenticated caller, to count denials. */
	onAnonymousDenied?(clientAddress: string, problem: Problem): void
	/** Whether a caller may call from an address; also checked for running requests. */
	stillAllowedFrom?(principal: Principal, clientAddress: string): Problem | null
	/** The client's address; by default the peer of the connection. */
	clientAddressOf?: ClientAddressOf
	/** Refuses requests, by class, while the process is overloaded. */
	overload?: Pick<Overload, 'evaluate' | 'admission'>
	/** Counts requests and refuses those over a rate limit. */
	limiter?: RateLimiter
	liveRequests: LiveRequests
	/** Whether users connect by https. */
	https?: boolean
	log: Log
}

/**
 * Every request of every protocol passes the ingress, before Fastify and the data-plane handlers. The order of its checks is fixed:
 * Host → plain path → route → overload → turn → credential → rate limit → access rule → handler.
 */
export function createIngress(
	options: IngressOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
	const match = createRouter(options.routes)
	const failing = { ...options, faults: new FaultLog(options.log) }
	return (request, response) => {
		const requestId = requestIdOf(request)
		response.setHeader('x-request-id', requestId)
		setAnswerHeaders(response, options.https ?? false)
		response.on('error', () => response.destroy())
		let family: RouteFamily = 'api'
		try {
			const { path, search } = plainPath(request.url ?? '/')
			const found = match(request.method ?? 'GET', path)
			if (found.found) family = found.route.family
			// OTLP defines the format of every error on its paths.
			else if (found.family === 'otlp') family = 'otlp'
			const foreign = options.checkOrigin(request, family)
			if (foreign) throw foreign
			if (!found.found) throw notRouted(found.allowed, path, match)
			const overloaded = options.overload?.evaluate(found.route)
			if (overloaded) throw overloaded
			const { route, params } = found
			const refuse = (error: unknown) => fail(failing, request, response, family, error, requestId)
			const go = () =>
				serve(options, request, response, { route, parts: { requestId, params, search }, refuse })
			const admission = options.overload?.admission(route) ?? null
			if (admission === null) go()
			else admission.enter(response, go, refuse)
		} catch (error) {
			fail(failing, request, response, family, error, requestId)
		}
	}
}

interface Admitted {
	route: Route
	parts: Pick<RequestContext, 'requestId' | 'params' | 'search'>
	refuse(error: unknown): void
}

function serve(
	options: IngressOptions,
	request: IncomingMessage,
	response: ServerResponse,
	{ route, parts, refuse }: Admitted,
): void {
	try {
		const context = new Context(options, request, response, parts)
		const passed = admit(options, request, response, route, context)
		context.waited = passed instanceof Promise
		const result =
			passed instanceof Promise
				? passed.then(() => route.handle(request, response, context))
				: route.handle(request, response, context)
		if (result instanceof Promise) result.catch(refuse)
	} catch (error) {
		refuse(error)
	}
}

/** Authenticates and authorizes. It is synchronous if `authenticate` is, which holds for every known key. */
function admit(
	options: IngressOptions,
	request: IncomingMessage,
	response: ServerResponse,
	route: Route,
	context: RequestContext,
): void | Promise<void> {
	if (route.access.public) return count(options, response, route, null, context)
	let principal: ReturnType<Authenticate>
	try {
		principal = options.authenticate(request, route, context.clientAddress)
	} catch (error) {
		return refuseCaller(options, route, error, context)
	}
	if (!(principal instanceof Promise)) return countAndAuthorize(options, response, route, principal, context)
	return principal
		.catch((error) => refuseCaller(options, route, error, context))
		.then((found) => countAndAuthorize(options, response, route, found, context))
}

function countAndAuthorize(
	options: IngressOptions,
	response: ServerResponse,
	route: Route,
	principal: Principal | null,
	context: RequestContext,
): void | Promise<void> {
	const counting = principal ? count(options, response, route, principal, context) : undefined
	if (counting instanceof Promise)
		return counting.then(() => authorizeRequest(options, route, principal, context))
	return authorizeRequest(options, route, principal, context)
}

function count(
	{ limiter }: IngressOptions,
	response: ServerResponse,
	route: Route,
	principal: Principal | null,
	{ clientAddress }: RequestContext,
): void | Promise<void> {
	const problem = limiter?.count(route, principal, clientAddress, response) ?? null
	if (problem instanceof Promise) return problem.then(throwIf)
	throwIf(problem)
}

function refuseCaller(
	options: IngressOptions,
	route: Route,
	error: unknown,
	context: RequestContext,
): Promise<never> {
	if (!(error instanceof CallerRefused)) {
		options.onAnonymousDenied?.(context.clientAddress, toProblem(error))
		throw error
	}
	context.principal = error.principal
	return deny(options, route, error.principal, error, context)
}

function authorizeRequest(
	options: IngressOptions,
	route: Route,
	principal: Principal | null,
	context: RequestContext,
): void | Promise<void> {
	const problem = authorize(route.access, principal)
	context.principal = principal
	if (!problem) return
	if (!principal || problem.status !== 403) {
		options.onAnonymousDenied?.(context.clientAddress, problem)
		throw problem
	}
	return deny(options, route, principal, problem, context)
}

async function deny(
	options: IngressOptions,
	route: Route,
	principal: Principal,
	problem: Problem,
	{ requestId }: RequestContext,
): Promise<never> {
	await options.onDenied(route, principal, problem, requestId)
	throw problem
}

/** The request as seen by its handler. */
class Context implements RequestContext {
	readonly requestId: string
	readonly params: RequestContext['params']
	readonly search: string
	readonly clientAddress: string
	principal: Principal | null = null
	waited = false
	readonly #options: IngressOptions
	readonly #response: ServerResponse

	constructor(
		options: IngressOptions,
		request: IncomingMessage,
		response: ServerResponse,
		parts: Pick<RequestContext, 'requestId' | 'params' | 'search'>,
	) {
		this.#options = options
		this.#response = response
		this.requestId = parts.requestId
		this.params = parts.params
		this.search = parts.search
		this.clientAddress = (options.clientAddressOf ?? peerOf)(request)
	}

	get loopback(): boolean {
		return isLoopbackAddress(this.clientAddress)
	}

	get live(): LiveRequests {
		return this.#options.liveRequests
	}

	readonly guard = (refuses: () => Problem | null, abort: (problem: Problem) => void): void => {
		const check = () => this.refusal() ?? refuses()
		this.#response.once('close', this.live.add({ check, abort }))
	}

	refusal(): Problem | null {
		const { stillAllowedFrom } = this.#options
		return this.principal && stillAllowedFrom ? stillAllowedFrom(this.principal, this.clientAddress) : null
	}
}

function fail(
	options: IngressOptions & { faults: FaultLog },
	request: IncomingMessage,
	response: ServerResponse,
	family: RouteFamily,
	error: unknown,
	requestId: string,
): void {
	const problem = countedProblem(options, request, toProblem(error))
	options.faults.note(problem, { request_id: requestId }, 'request failed')
	if (response.headersSent) return void response.destroy()
	for (const [name, value] of Object.entries(problem.headers)) response.setHeader(name, value)
	options.refusals[family](request, response, problem, requestId)
	// Discards an unread body, which would otherwise keep the connection open.
	if (!request.complete) request.resume()
}

/** A 401 counts against the limit of its client address, and becomes a 429 over that limit. */
function countedProblem(
	{ limiter, clientAddressOf }: IngressOptions,
	request: IncomingMessage,
	problem: Problem,
): Problem {
	if (problem.status !== 401 || !limiter) return problem
	return limiter.countFailure((clientAddressOf ?? peerOf)(request)) ?? problem
}

function notRouted(allowed: string[], path: string, match: ReturnType<typeof createRouter>): Problem {
	if (allowed.length === 0) return new Problem('not_found', nothingAt(path, match))
	const methods = allowed.includes('GET') ? [...allowed, 'HEAD'] : allowed
	const elsewhere = path === '/' ? ` ${sentElsewhere}` : ''
	return new Problem('method_not_allowed', `This path takes ${methods.join(', ')}.${elsewhere}`, {
		headers: { allow: methods.join(', ') },
	})
}

/** For a client that was given the address of the instance alone. */
const sentElsewhere = 'Send MCP to /mcp-key, and OpenTelemetry to /v1/traces, /v1/logs or /v1/metrics.'

/** Many frameworks accept `/v1/agents/` for `/v1/agents`. Here each object has exactly one URL, so the error explains it. */
function nothingAt(path: string, match: ReturnType<typeof createRouter>): string {
	const shorter = path.endsWith('/') ? match('GET', path.slice(0, -1)) : null
	if (shorter?.found || shorter?.allowed.length)
		return 'There is nothing at this path; send it without the slash at its end.'
	if (ofExporters.test(path))
		return 'There is nothing at this path. OpenTelemetry goes to /v1/traces, /v1/logs or /v1/metrics.'
	if (!ofProviders.test(path)) return 'There is nothing at this path.'
	return 'There is nothing at this path. Model calls name a connection before the path of the provider: /proxy/openai/v1/chat/completions.'
}

/** Paths of model providers, which a client requests if its base URL lacks `/proxy/<connection>`. */
const ofProviders = /^(?:\/[\w-]+){0,2}\/(?:chat\/completions|completions|responses|messages|embeddings)$/

/** Paths of an exporter whose endpoint is misspelled or, for one signal, has the path twice: `/v1/trace`, `/v1/traces/v1/traces`. */
const ofExporters = /\/(?:v1\/)?(?:traces?|logs?|metrics?)$/

function throwIf(problem: Problem | null): void {
	if (problem) throw problem
}

function requestIdOf(request: IncomingMessage): string {
	const given = request.headers['x-request-id']
	return typeof given === 'string' && /^[\w.-]{1,128}$/.test(given) ? given : newId()
}

/**
 * Headers of every response: no sniffing, framing or scripts. Pages set their own policy. Any other response that a browser shows,
 * such as a provider's, is not a page of ours and cannot use our cookies or API.
 */
const contentPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"
const yearS = 31_536_000

/** @param https whether users connect by https; browsers then remember that (HSTS) */
function setAnswerHeaders(response: ServerResponse, https: boolean): void {
	response.setHeader('x-content-type-options', 'nosniff')
	response.setHeader('content-security-policy', contentPolicy)
	if (https) response.setHeader('strict-transport-security', `max-age=${yearS}`)
}
