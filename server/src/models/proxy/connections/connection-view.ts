import type { Provider } from '@signalbox/contract'
import type { View } from '../../../platform/changes.ts'
import type { SealContext, Sealer } from '../../../platform/crypto/seal.ts'
import { connectionKind } from '../../../platform/crypto/sealed-columns.ts'
import type { ControlStore } from '../../../platform/database/index.ts'
import type { Log } from '../../../platform/log.ts'
import { originOf } from './base-url.ts'
import type { ConnectionEntry, ConnectionView } from './connection-entry.ts'
import { type ConnectionRow, readAllConnections, readConnection } from './repository.ts'

/** What a connection's key is sealed for: it opens for this provider and origin only. */
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

/** Holds every connection with its opened key. */
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
