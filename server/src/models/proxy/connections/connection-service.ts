import { createPrivateKey } from 'node:crypto'
import {
	type Provider,
	type ProviderCredential,
	providerKeyOperations,
	type Vendor,
} from '@signalbox/contract'
import { type Audit, type RequestedChange, recordChange } from '../../../accounts/audit/audit.ts'
import { requireUnchanged } from '../../../platform/change-scope.ts'
import { type Clock, toIso } from '../../../platform/clock.ts'
import type { Sealer } from '../../../platform/crypto/seal.ts'
import {
	type ControlStore,
	type DatabaseTransaction,
	duplicateOf,
} from '../../../platform/database/database.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { type BoundOperation, bind } from '../../../platform/http/operations.ts'
import { principalIn, type RequestContext } from '../../../platform/http/route.ts'
import { newId } from '../../../platform/ids.ts'
import type { Mutate } from '../../../platform/mutation.ts'
import { type Page, paginate } from '../../../platform/paging.ts'
import type { SafeFetch } from '../../../platform/safe-fetch.ts'
import { refuseChanged } from '../../../platform/unchanged.ts'
import { vendorOf } from '../../vendor.ts'
import { routeHasName } from '../routing/route-repository.ts'
import {
	type ConnectionRow,
	deleteConnection,
	findConnection,
	insertConnection,
	listConnections,
	updateConnection,
} from './connection-repository.ts'
import { baseUrlOf, originOf, sealContext } from './connection-view.ts'
import { type ConnectionTest, testConnection } from './test-connection.ts'

/** The fields of a request that make up a connection's secret. */
interface GivenSecret {
	key?: string
	credential?: ProviderCredential
}

/** A secret in the form that is sealed: a key as it is, a credential as JSON with the necessary fields. */
interface KeptSecret {
	text: string
	/** The end of the part that identifies it. */
	last4: string
	/** The address of the provider, if the credential determines it. */
	baseUrl: string | undefined
}

/** Providers that accept a credential; the others accept a key. */
const takesCredential: ReadonlySet<Provider> = new Set<Provider>(['bedrock', 'vertex'])
const takesKey = (provider: Provider) => provider !== 'vertex'

/** The secret in a request, or null if there is none. Throws a Problem for one that the provider does not accept. */
function givenSecret(
	provider: Provider,
	{ key, credential }: GivenSecret,
	assertUrl: (url: string) => URL,
): KeptSecret | null {
	if (key === undefined && credential === undefined) return null
	if (key !== undefined && credential !== undefined)
		throw refused('key', 'is not for a request with a credential')
	if (key !== undefined) {
		if (!takesKey(provider)) throw refused('key', `is not what ${provider} takes: send a credential`)
		if (key.startsWith('{')) throw refused('key', 'is a JSON document: send it as credential')
		return { text: key, last4: last4Of(key), baseUrl: undefined }
	}
	if (!takesCredential.has(provider)) throw refused('credential', `is not what ${provider} takes: send a key`)
	return keep(provider, credential as ProviderCredential, assertUrl)
}

function keep(
	provider: Provider,
	credential: ProviderCredential,
	assertUrl: (url: string) => URL,
): KeptSecret {
	if ('access_key_id' in credential) {
		if (provider !== 'bedrock') throw refused('credential', `is not what ${provider} takes`)
		const { access_key_id, region } = credential
		const baseUrl = `https://bedrock-runtime.${region}.amazonaws.com`
		return { text: JSON.stringify(credential), last4: last4Of(access_key_id), baseUrl }
	}
	if (provider !== 'vertex') throw refused('credential', `is not what ${provider} takes`)
	const { service_account, project, location } = credential
	const { client_email, private_key, private_key_id, token_uri } = service_account
	requireRsaKey(private_key)
	if (token_uri !== undefined) assertUrl(token_uri)
	const account = {
		client_email,
		private_key,
		...(private_key_id && { private_key_id }),
		...(token_uri && { token_uri }),
	}
	return {
		text: JSON.stringify({ service_account: account, project, location }),
		last4: last4Of(private_key_id ?? ''),
		baseUrl: vertexBaseUrl(location),
	}
}

/** `global` and the two multi-regions have hosts of their own. */
function vertexBaseUrl(location: string): string {
	if (location === 'global') return 'https://aiplatform.googleapis.com'
	if (location === 'us' || location === 'eu') return `https://aiplatform.${location}.rep.googleapis.com`
	return `https://${location}-aiplatform.googleapis.com`
}

function requireRsaKey(pem: string): void {
	try {
		if (createPrivateKey(pem).asymmetricKeyType === 'rsa') return
	} catch {
		// Reported below, without quoting the input.
	}
	throw refused('credential/service_account/private_key', 'is not an RSA key in PEM')
}

/** Four characters would reveal too much of a short key. */
function last4Of(key: string): string {
	return key.length < 12 ? '' : key.slice(-4)
}

function refused(field: string, detail: string): Problem {
	return new Problem('invalid_request', `${field.replaceAll('/', '.')} ${detail}.`, {
		errors: [{ pointer: `/${field}`, code: 'credential', detail }],
	})
}

interface ConnectionDependencies {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	sealer: Sealer
	clock: Clock
	/** The outbound client; `assertUrl` throws a Problem for an address that must not be called. */
	safeFetch: Pick<SafeFetch, 'assertUrl' | 'fetch'>
}

interface NewConnection extends GivenSecret {
	name: string
	provider: Provider
	base_url?: string
	record_bodies?: boolean
	inject_usage?: boolean
	priced_as?: Vendor | null
}

/** The mutable fields of a connection. */
type ConnectionChange = GivenSecret &
	Pick<NewConnection, 'base_url' | 'record_bodies' | 'inject_usage' | 'priced_as'>

/** A change of a connection, as it is recorded. */
function changeOf(verb: string, row: ConnectionRow, detail: object = {}): RequestedChange {
	const target = { kind: 'connection', id: row.id, name: row.name }
	const change = { action: `provider-keys.${verb}`, target, detail: { ...detail } }
	// A test changes nothing, and reading the connection again would forget the state of its circuit breaker.
	return verb === 'test' ? change : { ...change, viewKind: 'connection' }
}

const moving = ['last_used_at', 'updated_at']
const readOnly = ['id', 'name', 'provider', 'vendor', 'last4', 'status', 'created_at', ...moving]

/** Manages the provider accounts of workspaces. Keys are accepted and never returned. */
export function createConnections({
	store,
	mutate,
	audit,
	sealer,
	clock,
	safeFetch,
}: ConnectionDependencies) {
	const { assertUrl } = safeFetch
	const recording = { audit, clock }
	const mustFind = async (db: ControlStore['db'] | DatabaseTransaction, workspaceId: string, id: string) => {
		const row = await findConnection(db, workspaceId, id)
		if (!row) throw notFound('connection')
		return row
	}

	return {
		list: (workspaceId: string, page: Page & { order: 'asc' | 'desc' }) =>
			listConnections(store.db, workspaceId, { ...page, sort: 'created_at' }),

		get: (workspaceId: string, id: string): Promise<ConnectionRow> => mustFind(store.db, workspaceId, id),

		test: async (request: RequestContext, id: string): Promise<ConnectionTest> => {
			const row = await mustFind(store.db, principalIn(request).workspaceId, id)
			if (row.sealed_key === null) throw keyMissing(row.name)
			const key = sealer.open(row.sealed_key, sealContext(row))
			const provider = row.provider as Provider
			const result = await testConnection(
				{ fetch: safeFetch.fetch, clock },
				{ provider, baseUrl: row.base_url, key },
			)
			const { ok, status } = result
			await mutate((tx) => recordChange(tx, recording, request, changeOf('test', row, { ok, status })))
			return result
		},

		create: (request: RequestContext, input: NewConnection): Promise<ConnectionRow> => {
			const secret = givenSecret(input.provider, input, assertUrl)
			if (!secret) throw noSecret()
			const base_url = baseUrlOf(input.provider, input.base_url ?? secret.baseUrl, assertUrl)
			const row = newRow(principalIn(request).workspaceId, input, base_url, clock.nowMs())
			row.last4 = secret.last4
			row.sealed_key = sealer.seal(secret.text, sealContext(row))
			return mutate(async (tx) => {
				if (await routeHasName(tx, row.workspace_id, row.name)) throw nameTaken(row.name)
				await insertConnection(tx, row)
				await recordChange(
					tx,
					{ audit, clock },
					request,
					changeOf('create', row, { provider: row.provider, base_url, priced_as: row.priced_as }),
				)
				return row
			}).catch((error: unknown) => {
				throw duplicateOf(error) === null ? error : nameTaken(row.name)
			})
		},

		update: (request: RequestContext, id: string, input: ConnectionChange): Promise<ConnectionRow> =>
			mutate(async (tx) => {
				const before = await mustFind(tx, principalIn(request).workspaceId, id)
				const current = toProviderKey(before)
				requireUnchanged(current)
				refuseChanged(input, current, readOnly, moving)
				const secret = givenSecret(before.provider as Provider, input, assertUrl)
				const row = changeRow(before, input.base_url, secret, assertUrl, clock.nowMs())
				if (secret) row.sealed_key = sealer.seal(secret.text, sealContext(row))
				if (input.record_bodies !== undefined) row.record_bodies = Number(input.record_bodies)
				if (input.inject_usage !== undefined) row.inject_usage = Number(input.inject_usage)
				if (input.priced_as !== undefined) row.priced_as = input.priced_as
				const { base_url, sealed_key, last4, record_bodies, inject_usage, priced_as, updated_at } = row
				await updateConnection(tx, row.workspace_id, id, {
					...{ base_url, sealed_key, last4, record_bodies, inject_usage, priced_as, updated_at },
				})
				const erased = before.sealed_key !== null && sealed_key === null
				const detail = {
					...{ base_url, record_bodies: record_bodies === 1, inject_usage: inject_usage === 1 },
					...{ priced_as, new_key: secret !== null, key_erased: erased },
				}
				await recordChange(tx, recording, request, changeOf('update', row, detail))
				return row
			}),

		remove: (request: RequestContext, id: string): Promise<void> =>
			mutate(async (tx) => {
				const row = await mustFind(tx, principalIn(request).workspaceId, id)
				requireUnchanged(toProviderKey(row))
				await deleteConnection(tx, row.workspace_id, id)
				await recordChange(tx, recording, request, changeOf('delete', row))
			}),
	}
}

type Connections = ReturnType<typeof createConnections>

function newRow(
	workspaceId: string,
	input: Pick<NewConnection, 'name' | 'provider' | 'record_bodies' | 'inject_usage' | 'priced_as'>,
	base_url: string,
	nowMs: number,
): ConnectionRow {
	return {
		id: newId(nowMs),
		workspace_id: workspaceId,
		name: input.name,
		provider: input.provider,
		base_url,
		sealed_key: null,
		last4: null,
		record_bodies: Number(input.record_bodies ?? true),
		inject_usage: Number(input.inject_usage ?? false),
		priced_as: input.priced_as ?? null,
		last_used_at: null,
		created_at: nowMs,
		updated_at: nowMs,
	}
}

/** A key belongs to one origin: if the address moves to another, the old key is erased. */
function changeRow(
	before: ConnectionRow,
	base_url: string | undefined,
	secret: KeptSecret | null,
	assertUrl: (url: string) => URL,
	nowMs: number,
): ConnectionRow {
	const given = base_url ?? secret?.baseUrl ?? before.base_url
	const after = baseUrlOf(before.provider as Provider, given, assertUrl)
	const row = { ...before, base_url: after, updated_at: nowMs }
	if (secret) return { ...row, last4: secret.last4 }
	return originOf(after) === originOf(before.base_url) ? row : { ...row, sealed_key: null, last4: null }
}

function keyMissing(name: string): Problem {
	return new Problem('provider_key_missing', `The connection ${name} has no key any more.`)
}

function noSecret(): Problem {
	return new Problem('invalid_request', 'Send a key, or a credential for bedrock and vertex.')
}

function nameTaken(name: string): Problem {
	return new Problem('name_taken', `There is a connection or a route named ${name} already.`)
}

/** A connection as the API returns it, without its key. */
function toProviderKey(row: ConnectionRow) {
	return {
		id: row.id,
		name: row.name,
		provider: row.provider as Provider,
		base_url: row.base_url,
		record_bodies: row.record_bodies === 1,
		inject_usage: row.inject_usage === 1,
		priced_as: row.priced_as as Vendor | null,
		vendor: vendorOf(row),
		last4: row.last4,
		status: row.sealed_key === null ? ('secret_missing' as const) : ('active' as const),
		last_used_at: row.last_used_at === null ? null : toIso(row.last_used_at),
		created_at: toIso(row.created_at),
		updated_at: toIso(row.updated_at),
	}
}

export function connectionRoutes(connections: Connections): BoundOperation[] {
	return bind(providerKeyOperations, {
		list: async ({ query, context }) => {
			const { rows, total } = await connections.list(principalIn(context).workspaceId, query)
			return { provider_keys: rows.map(toProviderKey), pagination: paginate(query, total) }
		},
		get: async ({ params, context }) =>
			toProviderKey(await connections.get(principalIn(context).workspaceId, params.id)),
		test: ({ params, context }) => connections.test(context, params.id),
		create: async ({ body, context }) => toProviderKey(await connections.create(context, body)),
		update: async ({ params, body, context }) =>
			toProviderKey(await connections.update(context, params.id, body)),
		delete: async ({ params, context }) => {
			await connections.remove(context, params.id)
			return undefined
		},
	})
}
