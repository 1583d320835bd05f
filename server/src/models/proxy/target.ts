import type { IncomingHttpHeaders } from 'node:http'
import type { Provider, Vendor } from '@signalbox/contract'
import { Problem } from '../../platform/errors.ts'
import { ownKeysOf, searchToSend } from './caller-keys.ts'
import {
	belowBase,
	type ConnectionEntry,
	endsOf,
	joinPath,
	withoutVersion,
} from './connections/connection-view.ts'
import { providers, publicBaseUrls } from './providers/index.ts'
import type { CredentialTools, HeaderList, Surface } from './providers/provider.ts'

/** The headers that authenticate at a target: the caller's own key, or the stored credential. */
export function authorizationOf(
	{ ownKey, credential, provider, origin, path }: Target,
	request: { method: string; body: Buffer },
	tools: CredentialTools,
): HeaderList | Promise<HeaderList> {
	if (ownKey) return ownKey
	return providers[provider].authorize(credential ?? '', { ...request, origin, path }, tools)
}

/** Texts that must not get from a provider's message into the record: the key, or every text in a credential. */
export function secretsOf({ ownKey, credential, path }: Target): string[] {
	if (credential === null) {
		const inQuery = new URLSearchParams(path.split('?')[1] ?? '').get('key')
		const inHeader = ownKey?.[1]?.replace(/^Bearer /, '')
		return [inQuery ?? '', inHeader ?? ''].filter((secret) => secret !== '')
	}
	return credential.startsWith('{') ? textsIn(JSON.parse(credential)) : [credential]
}

/** The shortest text of a credential that counts as secret. Others, like a region, do not. */
const shortest = 16

function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return value.length < shortest ? [] : [value]
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

/** Where a call is sent, and with which key. */
export interface Target {
	origin: string
	/** With the query string. */
	path: string
	provider: Provider
	/** The provider under which the call is recorded and priced. */
	vendor: Vendor
	/** The headers with the caller's own key; null if the stored credential is used. */
	ownKey: HeaderList | null
	/** The stored credential; null if it is not used. */
	credential: string | null
	/** The connection whose credential is used. */
	connectionId: string | null
	/** Null for an unknown path. */
	surface: Surface | null
	/** Set for uploads: the connection's URL here, and the path of its base URL. */
	place?: { url: string; basePath: string }
}

export interface ProxyRequest {
	/** The connection's name in the path. */
	name: string
	/** The path after the connection's name, as it was sent, without a leading slash. */
	path: string
	method: string
	search: string
	headers: IncomingHttpHeaders
	/** The URL of the connection here, without a trailing slash, as the client sees it. */
	ownUrl?: string
}

/** Finds the target of a call. Throws a Problem: 404 for an unknown connection, 403 for a closed path or a missing key. */
export function resolveTarget(asked: ProxyRequest, stored: ConnectionEntry | undefined): Target {
	const connection = stored ?? readyConnection(asked.name)
	if (!connection) throw new Problem('not_found', `There is no connection named ${asked.name}.`)
	const provider = providers[connection.provider]
	const ownKey = provider.ownKeyHeaders(ownKeysOf(asked.headers, asked.search))
	const { path, surface } = placeOf(asked, connection)
	if (!ownKey && !stored) throw noReadyKey(asked.name)
	if (!ownKey && !surface?.listed) throw closedPath(asked)
	const credential = ownKey ? null : storedKey(connection)
	const refusal =
		credential &&
		(provider.refusePath?.(credential, path) ??
			(surface && provider.refuseRequest?.(surface, asked.headers, asked.search)))
	if (refusal) throw new Problem('path_not_allowed', refusal)
	const search = searchToSend(asked.search, ownKey === null)
	return {
		origin: connection.origin,
		path: joinPath(connection.basePath, path) + (search && `?${search}`),
		provider: connection.provider,
		vendor: connection.vendor,
		ownKey,
		credential,
		connectionId: credential === null ? null : (stored?.id ?? null),
		surface,
		...(surface?.uploads && asked.ownUrl && { place: { url: asked.ownUrl, basePath: connection.basePath } }),
	}
}

/** An unknown path may repeat the end of the base URL, which is then removed, or continue a path that the base URL begins. */
function placeOf(
	{ method, path, search, ownUrl }: ProxyRequest,
	{ provider, basePath }: Reachable,
): Pick<Target, 'path' | 'surface'> {
	const surfaceAt = (at: string) => providers[provider].surfaceOf(method, withoutVersion(at), search)
	const surface = surfaceAt(path)
	if (surface) return { path, surface }
	const continued = belowOwnUrl(ownUrl, path)
	const upload = continued === null ? null : surfaceAt(continued)
	if (continued !== null && upload?.uploads) return { path: continued, surface: upload }
	const below = belowBase(basePath, path)
	if (below !== null) return { path: below, surface: surfaceAt(below) }
	const begun = endsOf(basePath).map((end) => surfaceAt(`${end}/${path}`))
	return { path, surface: begun.find((found) => found !== null) ?? null }
}

/** Google's client for Java appends the whole path of an upload's address to its base URL. Null for any other path. */
function belowOwnUrl(ownUrl: string | undefined, path: string): string | null {
	const own = URL.parse(ownUrl ?? '')?.pathname
	return own !== undefined && path.startsWith(`${own.slice(1)}/`) ? path.slice(own.length) : null
}

function closedPath({ method, path }: ProxyRequest): Problem {
	const detail = `${method} /${path} is not open with a stored key; docs/model-proxy.md lists the paths that are.`
	return new Problem('path_not_allowed', detail)
}

type Reachable = Pick<ConnectionEntry, 'name' | 'provider' | 'vendor' | 'origin' | 'basePath' | 'key'>

/** `openai` and `anthropic` name the providers themselves, for callers with their own key. */
function readyConnection(name: string): Reachable | null {
	if (!Object.hasOwn(publicBaseUrls, name)) return null
	const provider = name as Provider
	const url = new URL(publicBaseUrls[provider] as string)
	return { name, provider, vendor: provider, origin: url.origin, basePath: url.pathname, key: null }
}

function noReadyKey(name: string): Problem {
	const detail = `There is no connection named ${name}: create one, or send your own provider key beside x-service-api-key.`
	return new Problem('not_found', detail)
}

function storedKey(connection: Reachable): string {
	if (connection.key !== null) return connection.key
	throw new Problem('provider_key_missing', `The connection ${connection.name} has no key any more.`)
}
