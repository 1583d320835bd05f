import type { IncomingMessage, ServerResponse } from 'node:http'
import { plainPath } from './plain-path.ts'
import type { Route } from './route.ts'
import { createRouter, type Match } from './router.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => void

interface CorsOptions {
	/** Exact origins of foreign pages that may call us. */
	origins: readonly string[]
	routes: readonly Route[]
	/** The same judgement as the door's: a Host that is not ours gets no answer of ours. */
	checkOrigin(request: IncomingMessage, family: Route['family']): object | null
	/** What requests pass next. */
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
/** MCP names headers after the parameters of tools. */
const sentOfMcp = /^mcp-[a-z0-9-]{1,64}$/
/** Where a program in a browser signs in for `/mcp`; `/oauth/authorize` is a page for people. */
const signInOfPrograms = /^\/(?:\.well-known\/|oauth\/(?:token|register|revoke)$)/
const keptS = 600

/**
 * Lets pages of other origins read the answers of the platform API and of MCP routes (the Fetch standard's CORS), and answers
 * their preflights, which carry no credential, before anything asks for one. Cookies are not shared with such pages: they
 * send keys or tokens.
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

/** The route of the request, or for a preflight of the one that it announces. */
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
	return family === 'api' || family === 'mcp' || (family === 'page' && signInOfPrograms.test(path))
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
