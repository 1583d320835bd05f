import type { Provider, Vendor } from '@signalbox/contract'
import type { View } from '../../../platform/changes.ts'
import type { SealContext, Sealer } from '../../../platform/crypto/seal.ts'
import { connectionKind } from '../../../platform/crypto/sealed-columns.ts'
import type { ControlStore } from '../../../platform/database/database.ts'
import { Problem } from '../../../platform/errors.ts'
import type { Log } from '../../../platform/log.ts'
import { vendorOf } from '../../vendor.ts'
import { publicBaseUrls } from '../providers/index.ts'
import { type ConnectionRow, readAllConnections, readConnection } from './connection-repository.ts'

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

/** Segments that occur both at the end of base URLs and at the start of the paths that clients append. */
const shared = ['v1', 'v1beta', 'openai']

/**
 * Appends a path. What ends the base and begins the path counts once: a `/v1`, `/v1beta` or `/openai`, or more than one segment
 * (`/openai/v1`).
 */
export function joinPath(basePath: string, path: string): string {
	const base = basePath.replace(/\/+$/, '')
	const twice = endsOf(base).find(
		(end) => (end.includes('/') || shared.includes(end)) && `${path}/`.startsWith(`${end}/`),
	)
	const once = twice === undefined ? path : path.slice(twice.length + 1)
	return once === '' ? base || '/' : `${base}/${once}`
}

/** The ends of a base URL's path, the longest first: `a/b/c`, `b/c`, `c`. */
export function endsOf(basePath: string): string[] {
	const segments = basePath.split('/').filter(Boolean)
	return segments.map((_, first) => segments.slice(first).join('/'))
}

/**
 * The part of a path below the base URL, if the client begins the path with the end of that: clients of Groq send `/openai/v1/…`
 * to any address. Null if it begins otherwise.
 */
export function belowBase(basePath: string, path: string): string | null {
	const end = endsOf(basePath).find((end) => path.startsWith(`${end}/`))
	return end === undefined ? null : path.slice(end.length + 1)
}

/** Removes one leading `v1/`. */
export function withoutVersion(path: string): string {
	if (path === 'v1') return ''
	return path.startsWith('v1/') ? path.slice(3) : path
}

function badBaseUrl(detail: string): Problem {
	return new Problem('invalid_request', `base_url: ${detail}.`, {
		errors: [{ pointer: '/base_url', code: 'base_url', detail }],
	})
}

/** The context for which a connection's key is sealed: this provider and origin only. */
export function sealContext(
	row: Pick<ConnectionRow, 'workspace_id' | 'base_url' | 'id' | 'provider'>,
): SealContext {
	return {
		workspaceId: row.workspace_id,
		kind: connectionKind(row.provider),
		origin: originOf(row.base_url),
		id: row.id,
	}
}

/** Holds every connection with its decrypted key. */
export function createConnectionView(store: ControlStore, sealer: Sealer, log: Log): ConnectionView & View {
	let byId = new Map<string, ConnectionEntry>()
	let byName = new Map<string, ConnectionEntry>()
	const add = (row: ConnectionRow) => {
		const entry = toEntry(row, sealer, log)
		byId.set(entry.id, entry)
		byName.set(nameKey(entry.workspaceId, entry.name), entry)
	}
	const forget = (id: string) => {
		const known = byId.get(id)
		if (!known) return
		byId.delete(id)
		byName.delete(nameKey(known.workspaceId, known.name))
	}
	return {
		kinds: ['connection'],
		load: async () => {
			const rows = await readAllConnections(store.db)
			byId = new Map()
			byName = new Map()
			for (const row of rows) add(row)
		},
		apply: async (_kind, id) => {
			const row = await readConnection(store.db, id)
			forget(id)
			if (row) add(row)
		},
		find: (workspaceId, name) => byName.get(nameKey(workspaceId, name)),
	}
}

const nameKey = (workspaceId: string, name: string) => `${workspaceId}/${name}`

function toEntry(row: ConnectionRow, sealer: Sealer, log: Log): ConnectionEntry {
	const url = new URL(row.base_url)
	return {
		id: row.id,
		workspaceId: row.workspace_id,
		name: row.name,
		provider: row.provider as Provider,
		vendor: vendorOf(row),
		origin: url.origin,
		basePath: url.pathname,
		key: openKey(row, sealer, log),
		recordsBodies: row.record_bodies === 1,
		injectsUsage: row.inject_usage === 1,
	}
}

function openKey(row: ConnectionRow, sealer: Sealer, log: Log): string | null {
	if (row.sealed_key === null) return null
	try {
		return sealer.open(row.sealed_key, sealContext(row))
	} catch (error) {
		log.error({ err: error, connection: row.id }, 'connections: a stored key cannot be opened')
		return null
	}
}

/** A provider account in the form used by the data plane. */
export interface ConnectionEntry {
	id: string
	workspaceId: string
	name: string
	/** Its kind: the dialect that it is spoken to in. */
	provider: Provider
	/** Under whom its calls are recorded and priced. */
	vendor: Vendor
	/** Scheme, host and port of the base URL. */
	origin: string
	basePath: string
	/** The decrypted provider key, in memory only; null if it was erased. */
	key: string | null
	/** Whether the contents of its calls are recorded. */
	recordsBodies: boolean
	/** Whether usage is requested in streams whose client does not request it. */
	injectsUsage: boolean
}

/** All connections, in memory. */
export interface ConnectionView {
	find(workspaceId: string, name: string): ConnectionEntry | undefined
}
