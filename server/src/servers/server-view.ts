import type { HealthStatus, PinReason, ServerStatus, TransportType } from '@signalbox/contract'
import type { ChangeFeed, View } from '../platform/changes.ts'
import type { Sealer } from '../platform/crypto/seal.ts'
import type { ControlStore, Database } from '../platform/database/database.ts'
import { parseExactNumbers } from '../platform/json/parse-json.ts'
import { readCallLimits } from '../platform/limits/call-limit.ts'
import type { Log } from '../platform/log.ts'
import type { Introduction } from './discovery/discovery.ts'
import { readAliases } from './exposed-names.ts'
import { programSpecOf } from './program-spec-of.ts'
import { type ProgramSpec, programUrl } from './programs/index.ts'
import { readConfiguration } from './server-configuration.ts'
import type { ServerEntry, ServerView, ToolDefinition } from './server-entry.ts'
import { findServerForView, listServersForView, type ServerRow } from './server-repository.ts'
import { openHeaders } from './stored-headers.ts'
import { listToolsForView, type PinnedToolRow } from './tool-definitions/tool-definitions.ts'

interface ServerViewDependencies {
	store: ControlStore
	feed: ChangeFeed
	sealer: Sealer
	log: Log
	hosting?: { readable?: readonly string[] }
}

/** Opens the view of all servers before the area itself, because other areas need it and this area needs some of them. */
export function openServerView(given: ServerViewDependencies): ServerView {
	const view = createServerView(given.store.db, given.sealer, given.log, given.hosting?.readable)
	given.feed.add(view)
	return view
}

/** All servers with their tools in memory, kept up to date by the change feed. */
export function createServerView(
	db: Database,
	sealer: Sealer,
	log: Log,
	readable: readonly string[] = [],
): ServerView & View {
	const servers = new Map<string, ServerEntry>()
	const bySlug = new Map<string, ServerEntry>()
	const byPrefix = new Map<string, ServerEntry>()
	const byAlias = new Map<string, ServerEntry>()
	/** A cache, filled on demand and cleared by every change. */
	const lists = new Map<string, ServerEntry[]>()
	const toEntry = (row: ServerRow, tools: readonly PinnedToolRow[]) =>
		entryOf(row, tools, programOrNone(row, sealer, readable, log), openOrNone(row, sealer, log))
	const put = (entry: ServerEntry) => {
		remove(entry.id)
		const { id, workspaceId, slug, toolPrefix, toolAliases } = entry
		servers.set(id, entry)
		bySlug.set(`${workspaceId}/${slug}`, entry)
		byPrefix.set(`${workspaceId}/${toolPrefix}`, entry)
		for (const alias of toolAliases.values()) byAlias.set(`${workspaceId}/${alias}`, entry)
		lists.delete(workspaceId)
	}
	const remove = (id: string) => {
		const entry = servers.get(id)
		if (!entry) return
		const { workspaceId, slug, toolPrefix, toolAliases } = entry
		servers.delete(id)
		bySlug.delete(`${workspaceId}/${slug}`)
		byPrefix.delete(`${workspaceId}/${toolPrefix}`)
		for (const alias of toolAliases.values()) byAlias.delete(`${workspaceId}/${alias}`)
		lists.delete(workspaceId)
	}
	const list = (workspaceId: string) => {
		const known = lists.get(workspaceId)
		if (known) return known
		const made = [...servers.values()].filter((entry) => entry.workspaceId === workspaceId)
		lists.set(workspaceId, made)
		return made
	}
	return {
		kinds: ['server'],
		get: (serverId) => servers.get(serverId),
		list,
		withPrefix: (workspaceId, prefix) => {
			const key = `${workspaceId}/${prefix}`
			return byPrefix.get(key) ?? bySlug.get(key)
		},
		withAlias: (workspaceId, alias) => byAlias.get(`${workspaceId}/${alias}`),
		find: (workspaceId, idOrSlug) => {
			const byId = servers.get(idOrSlug)
			return byId?.workspaceId === workspaceId ? byId : bySlug.get(`${workspaceId}/${idOrSlug}`)
		},
		load: async () => {
			const rows = await listServersForView(db)
			const tools = Map.groupBy(await listToolsForView(db, null), (tool) => tool.server_id)
			for (const map of [servers, bySlug, byPrefix, byAlias, lists]) map.clear()
			for (const row of rows) put(toEntry(row, tools.get(row.id) ?? []))
		},
		apply: async (_kind, id) => {
			const row = await findServerForView(db, id)
			if (row) put(toEntry(row, await listToolsForView(db, id)))
			else remove(id)
		},
	}
}

function entryOf(
	row: ServerRow,
	tools: readonly PinnedToolRow[],
	program: ProgramSpec | null,
	headers: ReadonlyMap<string, string>,
): ServerEntry {
	return {
		id: row.id,
		workspaceId: row.workspace_id,
		name: row.name,
		slug: row.slug,
		toolPrefix: row.tool_prefix ?? row.slug,
		toolAliases: readAliases(row.tool_aliases),
		url: row.hosting_mode === 'hosted' ? programUrl(row.id) : row.endpoint_url,
		program,
		transportType: row.transport_type as TransportType,
		status: row.status as ServerStatus,
		healthStatus: row.health_status as HealthStatus,
		protocolVersion: row.protocol_version,
		trouble: row.last_error,
		areToolsKnown: row.tools_refreshed_at !== null,
		introduction: row.introduction === null ? null : (JSON.parse(row.introduction) as Introduction),
		headers,
		...readConfiguration(row.configuration),
		callLimits: row.call_limits === null ? null : readCallLimits(row.call_limits),
		maxResultBytes: row.max_result_bytes,
		tools: tools.map(({ served, definition }) => parseExactNumbers(served ?? definition) as ToolDefinition),
		suspended: suspendedOf(tools),
	}
}

function suspendedOf(tools: readonly PinnedToolRow[]): ReadonlyMap<string, PinReason> {
	const suspended = tools.filter(({ pin }) => pin === 'suspended')
	return new Map(suspended.map(({ name, pin_reason }) => [name, (pin_reason ?? 'changed') as PinReason]))
}

/** A program whose environment does not open is not started. */
function programOrNone(
	row: ServerRow,
	sealer: Sealer,
	readable: readonly string[],
	log: Log,
): ProgramSpec | null {
	try {
		return programSpecOf(row, sealer, readable)?.spec ?? null
	} catch (error) {
		log.error({ err: error, server_id: row.id }, 'servers: a stored environment does not open')
		return null
	}
}

/** Headers that do not open (another master key) are not sent; the server's refusal then shows in its health. */
function openOrNone(row: ServerRow, sealer: Sealer, log: Log): ReadonlyMap<string, string> {
	try {
		return openHeaders(sealer, row)
	} catch (error) {
		log.error({ err: error, server_id: row.id }, 'servers: stored headers do not open')
		return new Map()
	}
}
