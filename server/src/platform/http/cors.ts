import type { IncomingMessage, ServerResponse } from 'node:http'
import { isIPv4 } from 'node:net'
import { Problem } from '../errors.ts'
import { cachedByHead } from '../http1/lane-request.ts'
import { plainPath } from './paths.ts'
import type { Route, RouteFamily } from './route.ts'
import { createRouter, type Match } from './router.ts'

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/** The listener may have any address of 127.0.0.0/8. No site's name can be one, but it can begin like one. */
function isLoopbackHost(host: string): boolean {
	return loopbackHosts.has(host) || (host.startsWith('127.') && isIPv4(host))
}

interface OriginRules {
	/** Host (without port) that users see, from SIGNALBOX_PUBLIC_URL. */
	publicHost: string | null
	/** Whether the listener is bound to a loopback address. Then only loopback names and the public host are served. */
	loopbackOnly: boolean
	/** Origins of other sites that may call us. */
	corsOrigins: readonly string[]
}

/**
 * Refuses a malformed or unknown Host (400), and on MCP routes an unknown Origin (403): a site whose name resolves to a loopback
 * address must not reach a local instance (DNS rebinding).
 */
export function createOriginCheck(
	rules: OriginRules,
): (request: IncomingMessage, family: RouteFamily) => Problem | null {
	return (request, family) => {
		const host = hostOf(request)
		if (!host) return new Problem('invalid_host')
		if (rules.loopbackOnly && !isLoopbackHost(host) && host !== rules.publicHost) {
			return new Problem(
				'invalid_host',
				`This instance does not serve the host name ${host}. Use 127.0.0.1 or localhost, or set SIGNALBOX_PUBLIC_URL to add a name.`,
			)
		}
		const origin = request.headers.origin
		if (
			family !== 'mcp' ||
			origin === undefined ||
			isKnownOrigin(rules, origin, request.headers.host as string)
		)
			return null
		return new Problem('forbidden', 'Requests from this Origin are not allowed here.')
	}
}

/** Whether `origin` is the instance itself or a site that the operator allowed. */
export function isKnownOrigin(rules: OriginRules, origin: string, host: string): boolean {
	if (rules.corsOrigins.includes(origin)) return true
	return origin === `http://${host}` || origin === `https://${host}`
}

/** The host of a request with exactly one Host header, without the port; otherwise null. */
const hostOf = cachedByHead(({ rawHeaders, headers }): string | null => {
	let hosts = 0
	for (let index = 0; index < rawHeaders.length; index += 2) {
		const name = rawHeaders[index] as string
		if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
	}
	const match = hosts === 1 ? headers.host?.match(hostForm) : null
	return match ? (match[1] as string).toLowerCase() : null
})

const hostForm = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/

type Handle = (request: IncomingMessage, response: ServerResponse) => void

interface CorsOptions {
	/** Exact origins of other sites that may call us. */
	origins: readonly string[]
	routes: readonly Route[]
	/** The ingress's own check: an unknown Host gets no CORS response. */
	checkOrigin(request: IncomingMessage, family: Route['family']): object | null
	/** The next handler. */
	handle: Handle
}

const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE'
const exposed = [
	'ETag',
	'RateLimit',
	'RateLimit-Policy',
	'Retry-After',
	'X-Request-Id',
	'Mcp-Session-Id',
	'WWW-Authenticate',
	'Idempotency-Replayed',
	'traceparent',
].join(', ')
const sent = new Set([
	'accept',
	'authorization',
	'content-encoding',
	'content-type',
	'idempotency-key',
	'if-match',
	'if-none-match',
	'last-event-id',
	'traceparent',
	'tracestate',
	'x-api-key',
	'x-request-id',
	'x-service-api-key',
	'x-signalbox-agent',
])
/** MCP names headers after parameters of tools. */
const sentOfMcp = /^mcp-[a-z0-9-]{1,64}$/
/** Sign-in endpoints for programs in a browser that use `/mcp`; `/oauth/authorize` is a page for people. */
const signInOfPrograms = /^\/(?:\.well-known\/|oauth\/(?:token|register|revoke)$)/
const keptS = 600

/**
 * Lets other sites read the responses of the platform API, of MCP routes and of the receivers of telemetry (CORS of the Fetch standard), and
 * responds to their preflights, which carry no credential, before authentication. Such sites get no cookies; they send keys or tokens.
 */
export function withCors({ origins, routes, checkOrigin, handle }: CorsOptions): Handle {
	if (origins.length === 0) return handle
	const match = createRouter(routes)
	const allowed = new Set(origins)
	return (request, response) => {
		const { origin } = request.headers
		const route = routeOf(match, request)
		if (!route || !isShared(route)) return handle(request, response)
		response.setHeader('vary', 'Origin')
		if (origin === undefined || !allowed.has(origin)) return handle(request, response)
		if (checkOrigin(request, route.family)) return handle(request, response)
		response.setHeader('access-control-allow-origin', origin)
		response.setHeader('access-control-expose-headers', exposed)
		if (request.method === 'OPTIONS') return answerPreflight(request, response)
		return handle(request, response)
	}
}

/** The route of the request, or for a preflight the route that it announces. */
function routeOf(match: (method: string, path: string) => Match, request: IncomingMessage): Route | null {
	const { method = 'GET' } = request
	const asked = method === 'OPTIONS' ? request.headers['access-control-request-method'] : method
	if (asked === undefined) return null
	try {
		const found = match(String(asked), plainPath(request.url ?? '/').path)
		return found.found ? found.route : null
	} catch {
		return null
	}
}

function isShared({ family, path }: Route): boolean {
	return (
		family === 'api' ||
		family === 'mcp' ||
		family === 'otlp' ||
		(family === 'page' && signInOfPrograms.test(path))
	)
}

function answerPreflight(request: IncomingMessage, response: ServerResponse): void {
	const asked = String(request.headers['access-control-request-headers'] ?? '').toLowerCase()
	const names = asked.split(',').map((name) => name.trim())
	const granted = names.filter((name) => sent.has(name) || sentOfMcp.test(name))
	response.writeHead(204, {
		vary: 'Origin, Access-Control-Request-Headers',
		'access-control-allow-methods': methods,
		...(granted.length > 0 && { 'access-control-allow-headers': granted.join(', ') }),
		'access-control-max-age': String(keptS),
	})
	response.end()
	request.resume()
}
