import { isIP } from 'node:net'
import { Problem } from './errors.ts'
import { blockedAddress, type ConnectRules, isThisMachine } from './safe-fetch-connector.ts'

const lengthMax = 2048

/** Judges what can be judged of a URL before connecting: its form, a literal address, and `localhost`. */
export function assertTarget(text: string, rules: ConnectRules): URL {
	const url = parseTarget(text)
	const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
	const literal = isIP(host) ? host : isLocalhost(host) ? '127.0.0.1' : null
	if (!literal) return url
	const refusal = rules.addresses.refusalOf(literal)
	if (refusal) throw blockedAddress(host, refusal)
	const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
	const own = rules
		.forbidden()
		.some(
			(target) =>
				target.port === port && (target.host === undefined ? isThisMachine(literal) : target.host === host),
		)
	if (own) throw blockedAddress(host, 'own')
	return url
}

function parseTarget(text: string): URL {
	const url = text.length <= lengthMax ? URL.parse(text) : null
	if (!url?.hostname) throw malformed('is not an absolute URL')
	if (url.protocol !== 'http:' && url.protocol !== 'https:')
		throw malformed('must start with http:// or https://')
	if (url.username || url.password) throw malformed('must not carry a user name or password')
	return url
}

function isLocalhost(host: string): boolean {
	return /(^|\.)localhost$/i.test(host)
}

function malformed(detail: string): Problem {
	return new Problem('invalid_request', `The URL ${detail}.`, {
		errors: [{ pointer: '/url', code: 'format', detail }],
	})
}
