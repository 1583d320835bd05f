import type { IncomingMessage, ServerResponse } from 'node:http'
import { Problem } from '../errors.ts'
import { cachedByHead } from '../http1/lane-request.ts'
import { newId } from '../ids.ts'
import type { Log } from '../log.ts'
import type { Admission, AdmittedCall, Overload } from '../overload/overload.ts'
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
	/** Whether a caller's credential still gives it the rights with which its request was admitted. */
	stillValid?(principal: Principal): Problem | null
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
	// For a head that its connection repeats, the path, the route and the Origin are those of before.
	const targetOf = cachedByHead((request) => readTarget(options, match, request))
	return (request, response) => {
		const requestId = requestIdOf(request)
		response.setHeader('x-request-id', requestId)
		response.setHeader('x-content-type-options', 'nosniff')
		response.setHeader('content-security-policy', contentPolicy)
		if (options.https) response.setHeader('strict-transport-security', `max-age=${yearS}`)
		response.on('error', () => response.destroy())
		let family: RouteFamily = 'api'
		try {
			const target = targetOf(request)
			family = target.family
			if (!target.route) throw target.problem
			const overloaded = options.overload?.evaluate(target.route)
			if (overloaded) throw overloaded
			const context = new Context(failing, request, response, requestId, target)
			if (target.admission === null) context.go()
			else target.admission.enter(context)
		} catch (error) {
			fail(failing, request, response, family, error, requestId)
		}
	}
}

/** What the head of a request alone determines. */
type Target = { family: RouteFamily } & (RoutedTarget | { route: null; problem: Problem })

interface RoutedTarget {
	route: Route
	params: RequestContext['params']
	search: string
	/** The queue in which the request waits for its turn, if it has to. */
	admission: Admission | null
}

/** Throws the `Problem` of a path that is not plain. */
function readTarget(
	{ checkOrigin, overload }: IngressOptions,
	match: ReturnType<typeof createRouter>,
	request: IncomingMessage,
): Target {
	const { path, search } = plainPath(request.url ?? '/')
	const found = match(request.method ?? 'GET', path)
	// OTLP defines the format of every error on its paths, and some of its exporters show no other.
	const isOtlp = !found.found && (found.family === 'otlp' || sendsOtlp(request))
	const family = found.found ? found.route.family : isOtlp ? 'otlp' : 'api'
	const foreign = checkOrigin(request, family)
	if (foreign) return { family, route: null, problem: foreign }
	if (!found.found) return { family, route: null, problem: notRouted(found.allowed, path, match) }
	const { route, params } = found
	return { family, route, params, search, admission: overload?.admission(route) ?? null }
}

/** One request on its way to its handler, and as its handler sees it. */
class Context implements RequestContext, AdmittedCall {
	readonly requestId: string
	readonly params: RequestContext['params']
	readonly search: string
	readonly clientAddress: string
	readonly live: LiveRequests
	principal: Principal | null = null
	waited = false
	readonly response: ServerResponse
	readonly #options: Failing
	readonly #request: IncomingMessage
	readonly #route: Route

	constructor(
		options: Failing,
		request: IncomingMessage,
		response: ServerResponse,
		requestId: string,
		target: RoutedTarget,
	) {
		this.#options = options
		this.#request = request
		this.response = response
		this.#route = target.route
		this.requestId = requestId
		this.params = target.params
		this.search = target.search
		this.live = options.liveRequests
		this.clientAddress = (options.clientAddressOf ?? peerOf)(request)
	}

	/** Admits the request and calls its handler. */
	go(): void {
		try {
			let passed = this.#admit()
			if (passed instanceof Promise) {
				this.waited = true
				// What a handler holds for a request, it releases when the response closes, which may have happened already.
				passed = passed.then(() => (this.response.destroyed ? undefined : this.#handle()))
			} else passed = this.#handle()
			if (passed instanceof Promise) passed.catch((error) => this.refuse(error))
		} catch (error) {
			this.refuse(error)
		}
	}

	#handle(): void | Promise<void> {
		if (this.#route.streams)
			this.guard(
				() => null,
				() => this.response.destroy(),
			)
		return this.#route.handle(this.#request, this.response, this)
	}

	refuse(error: unknown): void {
		fail(this.#options, this.#request, this.response, this.#route.family, error, this.requestId)
	}

	/** Authenticates and authorizes. It is synchronous if `authenticate` is, which holds for every known key. */
	#admit(): void | Promise<void> {
		if (this.#route.access.public) return this.#admitCaller(null)
		let principal: ReturnType<Authenticate>
		try {
			principal = this.#options.authenticate(this.#request, this.#route, this.clientAddress)
		} catch (error) {
			return this.#refuseCaller(error)
		}
		if (!(principal instanceof Promise)) return this.#admitCaller(principal)
		return principal.catch((error) => this.#refuseCaller(error)).then((found) => this.#admitCaller(found))
	}

	/** Counts the request against its caller's limit, then checks the access rule. */
	#admitCaller(principal: Principal | null): void | Promise<void> {
		const { access } = this.#route
		// A guarded route refuses a request without a credential, and the refusal is counted instead.
		if (principal || access.public) {
			const { limiter } = this.#options
			const over = limiter?.count(this.#route, principal, this.clientAddress, this.response) ?? null
			if (over instanceof Promise) return over.then((problem) => this.#authorize(principal, problem))
			return this.#authorize(principal, over)
		}
		return this.#authorize(principal, null)
	}

	#authorize(principal: Principal | null, overLimit: Problem | null): void | Promise<void> {
		if (overLimit) throw overLimit
		const problem = authorize(this.#route.access, principal, this.#route.oauth)
		this.principal = principal
		if (!problem) return
		if (principal && problem.status === 403) return this.#deny(principal, problem)
		this.#options.onAnonymousDenied?.(this.clientAddress, problem)
		throw problem
	}

	#refuseCaller(error: unknown): Promise<never> {
		if (!(error instanceof CallerRefused)) {
			this.#options.onAnonymousDenied?.(this.clientAddress, toProblem(error))
			throw error
		}
		this.principal = error.principal
		return this.#deny(error.principal, error)
	}

	async #deny(principal: Principal, problem: Problem): Promise<never> {
		await this.#options.onDenied(this.#route, principal, problem, this.requestId)
		throw problem
	}

	get loopback(): boolean {
		return isLoopbackAddress(this.clientAddress)
	}

	readonly guard = (refuses: () => Problem | null, abort: (problem: Problem) => void): void => {
		if (this.response.destroyed) return
		const check = () => this.refusal() ?? refuses()
		this.response.once('close', this.live.add({ check, abort }))
	}

	refusal(): Problem | null {
		const { principal } = this
		if (!principal) return null
		const { stillAllowedFrom, stillValid } = this.#options
		const refused = stillAllowedFrom?.(principal, this.clientAddress) ?? null
		return refused ?? (this.#route.family === 'api' ? (stillValid?.(principal) ?? null) : null)
	}
}

type Failing = IngressOptions & { faults: FaultLog }

function fail(
	options: Failing,
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

/** Whether a request can only be that of an exporter. */
const sendsOtlp = ({ headers }: IncomingMessage) => headers['content-type'] === 'application/x-protobuf'

/** Paths of an exporter whose endpoint is misspelled or, for one signal, has the path twice: `/v1/trace`, `/v1/traces/v1/traces`. */
const ofExporters = /\/(?:v1\/)?(?:traces?|logs?|metrics?)$/

function requestIdOf(request: IncomingMessage): string {
	const given = request.headers['x-request-id']
	return typeof given === 'string' && /^[\w.-]{1,128}$/.test(given) ? given : newId()
}

/**
 * Headers of every response: no sniffing, framing or scripts. Pages set their own policy. Any other response that a browser shows,
 * such as a provider's, is not a page of ours and cannot use our cookies or API.
 */
const contentPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox"
/** Where users connect by https, browsers remember that for so long (HSTS). */
const yearS = 31_536_000
