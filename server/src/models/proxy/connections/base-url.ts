import type { Provider } from '@signalbox/contract'
import { Problem } from '../../../platform/errors.ts'
import { publicBaseUrls } from '../providers/index.ts'

/** The base URL of a new connection in its stored form: without a trailing slash, query, fragment or user part. */
export function baseUrlOf(
	provider: Provider,
	given: string | undefined,
	assertUrl: (url: string) => URL,
): string {
	const text = given ?? publicBaseUrls[provider]
	if (text === undefined) throw badBaseUrl(`is required with the provider ${provider}`)
	const url = assertUrl(text)
	if (url.protocol !== 'https:' && url.protocol !== 'http:')
		throw badBaseUrl('must start with https:// or http://')
	if (url.username || url.password) throw badBaseUrl('must not contain a user or password')
	if (url.search || url.hash) throw badBaseUrl('must not contain a query or a fragment')
	return url.origin + url.pathname.replace(/\/+$/, '')
}

export function originOf(baseUrl: string): string {
	return new URL(baseUrl).origin
}

/** Segments that stand both at the end of a base URL and at the start of what clients append. */
const shared = ['v1', 'v1beta', 'openai']

/** Appends a path; a `/v1` at the end of the base and at the start of the path counts once, like `/v1beta` and `/openai`. */
export function joinPath(basePath: string, path: string): string {
	const base = basePath.replace(/\/+$/, '')
	const twice = shared.find((segment) => base.endsWith(`/${segment}`) && `${path}/`.startsWith(`${segment}/`))
	const once = twice === undefined ? path : path.slice(twice.length + 1)
	return once === '' ? base || '/' : `${base}/${once}`
}

/** A path without one leading `v1/`. */
export function withoutVersion(path: string): string {
	if (path === 'v1') return ''
	return path.startsWith('v1/') ? path.slice(3) : path
}

function badBaseUrl(detail: string): Problem {
	return new Problem('invalid_request', `base_url: ${detail}.`, {
		errors: [{ pointer: '/base_url', code: 'base_url', detail }],
	})
}
