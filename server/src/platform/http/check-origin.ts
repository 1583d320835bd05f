import type { IncomingMessage } from 'node:http'
import { Problem } from '../errors.ts'
import type { RouteFamily } from './route.ts'

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

export interface OriginRules {
	/** Host (without port) that users see, from SIGNALBOX_PUBLIC_URL. */
	publicHost: string | null
	/** Whether the listener is bound to a loopback address: then only loopback names and the public host are served. */
	loopbackOnly: boolean
	/** Origins of foreign pages that may call us. */
	corsOrigins: readonly string[]
}

/**
 * Refuses a malformed or foreign Host (400), and on MCP routes a foreign Origin (403): a page that resolves its own
 * name to a loopback address must not reach a local instance (DNS rebinding).
 */
export function createOriginCheck(
	rules: OriginRules,
): (request: IncomingMessage, family: RouteFamily) => Problem | null {
	return (request, family) => {
		const host = hostName(request.headers.host)
		if (!host || hostCount(request) !== 1) return new Problem('invalid_host')
		if (rules.loopbackOnly && !loopbackHosts.has(host) && host !== rules.publicHost) {
			return new Problem(
				'invalid_host',
				'This instance does not serve this host name; set SIGNALBOX_PUBLIC_URL to add one.',
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

/** Whether `origin` is the instance itself or a page that the operator allowed. */
export function isKnownOrigin(rules: OriginRules, origin: string, host: string): boolean {
	if (rules.corsOrigins.includes(origin)) return true
	return origin === `http://${host}` || origin === `https://${host}`
}

function hostName(host: string | undefined): string | null {
	const match = host?.match(/^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::(\d{1,5}))?$/)
	return match ? (match[1] as string).toLowerCase() : null
}

function hostCount(request: IncomingMessage): number {
	const raw = request.rawHeaders
	let count = 0
	for (let index = 0; index < raw.length; index += 2) {
		const name = raw[index] as string
		if (name.length === 4 && name.toLowerCase() === 'host') count += 1
	}
	return count
}
