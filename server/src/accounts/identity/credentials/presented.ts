import type { IncomingMessage } from 'node:http'
import { tokenPrefixes } from '@signalbox/contract'
import { isToken } from '../../../platform/crypto/token.ts'
import { Problem } from '../../../platform/errors.ts'
import type { Route } from '../../../platform/http/index.ts'

/** What of a route decides which credentials it takes, and where they may stand. */
export type CredentialRules = Pick<Route, 'access' | 'family' | 'modelCredentials'>

/** Where in a request a value was found. */
type Place =
	| 'bearer'
	| 'bare'
	| 'basic'
	| 'x-service-api-key'
	| 'x-api-key'
	| 'x-goog-api-key'
	| 'api-key'
	| 'query'

interface Value {
	place: Place
	text: string
}

export type Presented =
	| { kind: 'key' | 'access_token' | 'oauth_token'; secret: string }
	/** Something was sent that opens nothing: the answer is 401, and cookies are not looked at. */
	| { kind: 'unusable' }
	| { kind: 'none' }

const keyPlaces: readonly Place[] = [
	'x-service-api-key',
	'bearer',
	'x-api-key',
	'x-goog-api-key',
	'api-key',
	'query',
]
const ourPrefixes = [tokenPrefixes.key, tokenPrefixes.ingestToken, tokenPrefixes.accessToken]
const ingestPlaces: readonly Place[] = ['bearer', 'bare', 'x-api-key', 'basic']

/**
 * Finds the one credential of ours in a request; 400 when there are two, even equal ones. What does not look like ours
 * is not ours: on model routes a caller may bring a provider's key beside the platform key.
 */
export function presentedIn(request: IncomingMessage, route: CredentialRules): Presented {
	const values = collect(request, route)
	const ours = values.filter((value) => isOurs(value, route))
	if (ours.length > 1)
		throw new Problem('ambiguous_credentials', 'Send one credential in exactly one header.')
	const [found] = ours
	if (!found) return values.length > 0 ? { kind: 'unusable' } : { kind: 'none' }
	return judge(found, route)
}

function judge({ place, text }: Value, route: CredentialRules): Presented {
	if (isToken(text, tokenPrefixes.key) && keyPlaces.includes(place)) return { kind: 'key', secret: text }
	if (isToken(text, tokenPrefixes.ingestToken) && ingestPlaces.includes(place))
		return { kind: 'key', secret: text }
	if (isToken(text, tokenPrefixes.accessToken) && place === 'bearer' && route.family === 'mcp')
		return { kind: 'oauth_token', secret: text }
	if (isJwt(text) && place === 'bearer') return { kind: 'access_token', secret: text }
	return { kind: 'unusable' }
}

/** A mistyped key of ours is still ours: it must not travel on to a provider. */
function isOurs({ place, text }: Value, route: CredentialRules): boolean {
	if (ourPrefixes.some((prefix) => text.startsWith(prefix))) return true
	return place === 'bearer' && isJwt(text) && !route.access.public && route.access.kinds.includes('user')
}

function isJwt(text: string): boolean {
	return text.startsWith('eyJ') && text.split('.').length === 3
}

/** From the raw headers, since node:http keeps only the first of several Authorization headers. */
function collect(request: IncomingMessage, route: CredentialRules): Value[] {
	const values: Value[] = []
	const raw = request.rawHeaders
	for (let index = 0; index < raw.length; index += 2) {
		const place = placeOf(raw[index] as string, route)
		if (place === 'authorization') values.push(fromAuthorization(raw[index + 1] as string))
		else if (place) values.push({ place, text: raw[index + 1] as string })
	}
	if (route.modelCredentials) values.push(...fromQuery(request.url ?? ''))
	return values
}

function placeOf(header: string, route: CredentialRules): Place | 'authorization' | null {
	switch (header.length) {
		case 7:
			return route.modelCredentials && header.toLowerCase() === 'api-key' ? 'api-key' : null
		case 9:
			return header.toLowerCase() === 'x-api-key' ? 'x-api-key' : null
		case 13:
			return header.toLowerCase() === 'authorization' ? 'authorization' : null
		case 14:
			return route.modelCredentials && header.toLowerCase() === 'x-goog-api-key' ? 'x-goog-api-key' : null
		case 17:
			return header.toLowerCase() === 'x-service-api-key' ? 'x-service-api-key' : null
		default:
			return null
	}
}

function fromAuthorization(header: string): Value {
	const [, scheme = '', rest = ''] = header.match(/^(\S+) +(\S+)$/) ?? []
	if (scheme.toLowerCase() === 'bearer') return { place: 'bearer', text: rest }
	// Some exporters send what OTEL_EXPORTER_OTLP_HEADERS holds as it stands there, percent-encoded.
	if (scheme.toLowerCase() !== 'basic') return { place: 'bare', text: header.replace(/^bearer%20/i, '') }
	const pair = Buffer.from(rest, 'base64').toString('latin1')
	return { place: 'basic', text: pair.slice(pair.indexOf(':') + 1) }
}

function fromQuery(url: string): Value[] {
	const cut = url.indexOf('?')
	if (cut < 0) return []
	return new URLSearchParams(url.slice(cut)).getAll('key').map((text) => ({ place: 'query', text }))
}
