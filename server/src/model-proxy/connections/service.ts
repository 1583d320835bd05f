import type { Provider } from '@signalbox/contract'
import { type Audit, actorOf } from '../../audit/index.ts'
import { requireUnchanged } from '../../platform/change-scope.ts'
import { appendChange } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealer } from '../../platform/crypto/seal.ts'
import { type ControlStore, type DatabaseTransaction, duplicateOf } from '../../platform/database/index.ts'
import { notFound, Problem } from '../../platform/errors.ts'
import type { Principal } from '../../platform/http/index.ts'
import { newId } from '../../platform/ids.ts'
import type { Mutate } from '../../platform/mutation.ts'
import type { Page } from '../../platform/paging.ts'
import type { SafeFetch } from '../../platform/safe-fetch.ts'
import { baseUrlOf, originOf } from './base-url.ts'
import { sealContext } from './connection-view.ts'
import { toProviderKey } from './present-connection.ts'
import { routeHasName } from '../routing/repository.ts'
import {
	type ConnectionRow,
	deleteConnection,
	findConnection,
	insertConnection,
	listConnections,
	updateConnection,
} from './repository.ts'

import { type ConnectionTest, testConnection } from './test-connection.ts'

export interface ConnectionDependencies {
	store: ControlStore
	mutate: Mutate
	audit: Pick<Audit, 'record'>
	sealer: Sealer
	clock: Clock
	/** The way to providers; `assertUrl` throws a Problem for an address that must not be called. */
	safeFetch: Pick<SafeFetch, 'assertUrl' | 'fetch'>
}

/** Who changes something, and in which request. */
export interface Change {
	principal: Principal
	requestId: string
}

export interface NewConnection {
	name: string
	provider: Provider
	key: string
	base_url?: string
}

/** Keeps the provider accounts of workspaces; keys go in and never come out. */
export function createConnections({
	store,
	mutate,
	audit,
	sealer,
	clock,
	safeFetch,
}: ConnectionDependencies) {
	const { assertUrl } = safeFetch
	const record = (tx: DatabaseTransaction, by: Change, verb: string, row: ConnectionRow, detail: object) =>
		audit.record(tx, {
			workspaceId: row.workspace_id,
			actor: actorOf(by.principal),
			action: `provider-keys.${verb}`,
			target: { kind: 'connection', id: row.id, name: row.name },
			detail: { ...detail },
			requestId: by.requestId,
		})
	const note = async (...args: Parameters<typeof record>) => {
		const [tx, , , row] = args
		await record(...args)
		await appendChange(tx, 'connection', row.id, clock)
	}
	const mustFind = async (db: ControlStore['db'] | DatabaseTransaction, workspaceId: string, id: string) => {
		const row = await findConnection(db, workspaceId, id)
		if (!row) throw notFound('connection')
		return row
	}

	return {
		list: (workspaceId: string, page: Page & { order: 'asc' | 'desc' }) =>
			listConnections(store.db, workspaceId, page),

		get: (workspaceId: string, id: string): Promise<ConnectionRow> => mustFind(store.db, workspaceId, id),

		test: async (by: Change, id: string): Promise<ConnectionTest> => {
			const row = await mustFind(store.db, by.principal.workspaceId, id)
			if (row.sealed_key === null) throw keyMissing(row.name)
			const key = sealer.open(row.sealed_key, sealContext(row))
			const provider = row.provider as Provider
			const result = await testConnection({ fetch: safeFetch.fetch, clock }, { provider, baseUrl: row.base_url, key })
			const { ok, status } = result
			await mutate((tx) => record(tx, by, 'test', row, { ok, status }))
			return result
		},

		create: (by: Change, input: NewConnection): Promise<ConnectionRow> => {
			const base_url = baseUrlOf(input.provider, input.base_url, assertUrl)
			const row = newRow(by.principal.workspaceId, input, base_url, clock.nowMs())
			row.sealed_key = sealer.seal(input.key, sealContext(row))
			return mutate(async (tx) => {
				if (await routeHasName(tx, row.workspace_id, row.name)) throw nameTaken(row.name)
				await insertConnection(tx, row)
				await note(tx, by, 'create', row, { provider: row.provider, base_url })
				return row
			}).catch((error: unknown) => {
				throw duplicateOf(error) === null ? error : nameTaken(row.name)
			})
		},

		update: (by: Change, id: string, input: { key?: string; base_url?: string }): Promise<ConnectionRow> =>
			mutate(async (tx) => {
				const before = await mustFind(tx, by.principal.workspaceId, id)
				requireUnchanged(toProviderKey(before))
				const row = changeRow(before, input, assertUrl, clock.nowMs())
				if (input.key !== undefined) row.sealed_key = sealer.seal(input.key, sealContext(row))
				const { base_url, sealed_key, last4, updated_at } = row
				await updateConnection(tx, row.workspace_id, id, { base_url, sealed_key, last4, updated_at })
				const erased = before.sealed_key !== null && sealed_key === null
				await note(tx, by, 'update', row, { base_url, new_key: input.key !== undefined, key_erased: erased })
				return row
			}),

		remove: (by: Change, id: string): Promise<void> =>
			mutate(async (tx) => {
				const row = await mustFind(tx, by.principal.workspaceId, id)
				requireUnchanged(toProviderKey(row))
				await deleteConnection(tx, row.workspace_id, id)
				await note(tx, by, 'delete', row, {})
			}),
	}
}

export type Connections = ReturnType<typeof createConnections>

function newRow(workspaceId: string, input: NewConnection, base_url: string, nowMs: number): ConnectionRow {
	return {
		id: newId(nowMs),
		workspace_id: workspaceId,
		name: input.name,
		provider: input.provider,
		base_url,
		sealed_key: null,
		last4: last4Of(input.key),
		last_used_at: null,
		created_at: nowMs,
		updated_at: nowMs,
	}
}

/** A key is for one origin: when the address moves to another, the old key is erased. */
function changeRow(
	before: ConnectionRow,
	input: { key?: string; base_url?: string },
	assertUrl: (url: string) => URL,
	nowMs: number,
): ConnectionRow {
	const given = input.base_url ?? before.base_url
	const base_url = baseUrlOf(before.provider as Provider, given, assertUrl)
	const row = { ...before, base_url, updated_at: nowMs }
	if (input.key !== undefined) return { ...row, last4: last4Of(input.key) }
	return originOf(base_url) === originOf(before.base_url) ? row : { ...row, sealed_key: null, last4: null }
}

/** Four characters would be too much of a short key. */
function last4Of(key: string): string {
	return key.length < 12 ? '' : key.slice(-4)
}

function keyMissing(name: string): Problem {
	return new Problem('provider_key_missing', `The connection ${name} has no key any more.`)
}

function nameTaken(name: string): Problem {
	return new Problem('name_taken', `There is a connection or a route named ${name} already.`)
}
