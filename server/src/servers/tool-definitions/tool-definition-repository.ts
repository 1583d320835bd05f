import type { DatabaseTransaction, Queryable } from '../../platform/database/database.ts'
import type { ControlSchema } from '../../platform/database/schema.ts'

export type ToolRow = ControlSchema['mcp_tools']
export type VersionRow = ControlSchema['tool_definitions']
export type PinRow = ControlSchema['tool_pins']

/** SQLite allows 32,766 parameters per statement. */
const chunk = 1000
const versionsKept = 100

export function listTools(db: Queryable, workspaceId: string, serverId: string): Promise<ToolRow[]> {
	return db
		.selectFrom('mcp_tools')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('server_id', '=', serverId)
		.orderBy('position')
		.execute()
}

/** Token counts of the tools of servers. */
export async function listTokens(
	db: Queryable,
	workspaceId: string,
	serverIds: readonly string[],
): Promise<Pick<ToolRow, 'server_id' | 'name' | 'tokens'>[]> {
	if (serverIds.length === 0) return []
	return db
		.selectFrom('mcp_tools')
		.select(['server_id', 'name', 'tokens'])
		.where('workspace_id', '=', workspaceId)
		.where('server_id', 'in', [...serverIds])
		.execute()
}

/** A tool, and why its current definition is not shown to agents; null if it is. */
export type PinnedToolRow = ToolRow & { pin_reason: string | null }

/** For the view, which spans workspaces: the tools of one server, or of all. */
export function listToolsForView(db: Queryable, serverId: string | null): Promise<PinnedToolRow[]> {
	return db
		.selectFrom('mcp_tools')
		.leftJoin('tool_pins', (join) =>
			join
				.onRef('tool_pins.server_id', '=', 'mcp_tools.server_id')
				.onRef('tool_pins.name', '=', 'mcp_tools.name'),
		)
		.selectAll('mcp_tools')
		.select('tool_pins.reason as pin_reason')
		.$if(serverId !== null, (query) => query.where('mcp_tools.server_id', '=', serverId))
		.orderBy('mcp_tools.server_id')
		.orderBy('mcp_tools.position')
		.execute()
}

export async function replaceToolRows(
	tx: DatabaseTransaction,
	workspaceId: string,
	serverId: string,
	rows: readonly ToolRow[],
): Promise<void> {
	await tx
		.deleteFrom('mcp_tools')
		.where('workspace_id', '=', workspaceId)
		.where('server_id', '=', serverId)
		.execute()
	for (let from = 0; from < rows.length; from += chunk)
		await tx
			.insertInto('mcp_tools')
			.values(rows.slice(from, from + chunk))
			.execute()
}

export function listPins(db: Queryable, workspaceId: string, serverId: string): Promise<PinRow[]> {
	return db
		.selectFrom('tool_pins')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('server_id', '=', serverId)
		.orderBy('name')
		.execute()
}

/** The pins of a workspace in any state other than these, newest first. */
export function listUnsettledPins(db: Queryable, workspaceId: string, limit: number) {
	return db
		.selectFrom('tool_pins')
		.innerJoin('mcp_servers', 'mcp_servers.id', 'tool_pins.server_id')
		.innerJoin('mcp_tools', (join) =>
			join
				.onRef('mcp_tools.server_id', '=', 'tool_pins.server_id')
				.onRef('mcp_tools.name', '=', 'tool_pins.name'),
		)
		.selectAll('tool_pins')
		.select(['mcp_servers.name as server_name', 'mcp_tools.hash as current_hash'])
		.where('tool_pins.workspace_id', '=', workspaceId)
		.where('tool_pins.state', 'in', ['kept', 'suspended'])
		.where((eb) =>
			eb.not(
				eb.exists(
					eb
						.selectFrom('tool_definitions')
						.select('hash')
						.whereRef('tool_definitions.server_id', '=', 'tool_pins.server_id')
						.whereRef('tool_definitions.name', '=', 'tool_pins.name')
						.whereRef('tool_definitions.hash', '=', 'mcp_tools.hash')
						.where('rejected_at', 'is not', null),
				),
			),
		)
		.orderBy('tool_pins.since', 'desc')
		.orderBy('tool_pins.server_id')
		.orderBy('tool_pins.name')
		.limit(limit)
		.execute()
}

export async function upsertPins(tx: DatabaseTransaction, rows: readonly PinRow[]): Promise<void> {
	for (const row of rows) {
		const { server_id, workspace_id, name, ...values } = row
		await tx
			.insertInto('tool_pins')
			.values(row)
			.onConflict((conflict) => conflict.columns(['server_id', 'name']).doUpdateSet(values))
			.execute()
	}
}

export function listVersions(
	db: Queryable,
	workspaceId: string,
	serverId: string,
	name?: string,
): Promise<VersionRow[]> {
	return db
		.selectFrom('tool_definitions')
		.selectAll()
		.where('workspace_id', '=', workspaceId)
		.where('server_id', '=', serverId)
		.$if(name !== undefined, (query) => query.where('name', '=', name as string))
		.orderBy('first_seen', 'desc')
		.orderBy('hash')
		.execute()
}

/** A version without its definition, and whether the server offers it now. */
export type VersionTimes = Pick<VersionRow, 'server_id' | 'name' | 'hash' | 'first_seen' | 'last_seen'> & {
	current_hash: string | null
}

/** All versions of tools that have more than one, by tool, oldest first. */
export function listChangingTools(
	db: Queryable,
	workspaceId: string,
	{ serverId, limit }: { serverId: string | undefined; limit: number },
): Promise<VersionTimes[]> {
	const changing = db
		.selectFrom('tool_definitions')
		.select(['server_id', 'name'])
		.where('workspace_id', '=', workspaceId)
		.$if(serverId !== undefined, (query) => query.where('server_id', '=', serverId as string))
		.groupBy(['server_id', 'name'])
		.having((eb) => eb.fn.countAll(), '>', 1)
	return db
		.selectFrom('tool_definitions as version')
		.innerJoin(changing.as('changing'), (join) =>
			join.onRef('changing.server_id', '=', 'version.server_id').onRef('changing.name', '=', 'version.name'),
		)
		.leftJoin('mcp_tools as tool', (join) =>
			join.onRef('tool.server_id', '=', 'version.server_id').onRef('tool.name', '=', 'version.name'),
		)
		.select(['version.server_id', 'version.name', 'version.hash', 'version.first_seen', 'version.last_seen'])
		.select('tool.hash as current_hash')
		.where('version.workspace_id', '=', workspaceId)
		.orderBy('version.server_id')
		.orderBy('version.name')
		.orderBy('version.first_seen')
		.orderBy('version.hash')
		.limit(limit)
		.execute()
}

/** The hashes of all known versions. */
export function listHashes(
	db: Queryable,
	workspaceId: string,
	serverId: string,
): Promise<Pick<VersionRow, 'name' | 'hash'>[]> {
	return db
		.selectFrom('tool_definitions')
		.select(['name', 'hash'])
		.where('workspace_id', '=', workspaceId)
		.where('server_id', '=', serverId)
		.execute()
}

export async function insertVersions(tx: DatabaseTransaction, rows: readonly VersionRow[]): Promise<void> {
	for (let from = 0; from < rows.length; from += chunk)
		await tx
			.insertInto('tool_definitions')
			.values(rows.slice(from, from + chunk))
			.onConflict((conflict) => conflict.columns(['server_id', 'name', 'hash']).doNothing())
			.execute()
}

export async function updateVersion(
	tx: DatabaseTransaction,
	{ server_id, workspace_id, name, hash }: Pick<VersionRow, 'server_id' | 'workspace_id' | 'name' | 'hash'>,
	values: Partial<Pick<VersionRow, 'last_seen' | 'tokens' | 'rejected_at'>>,
): Promise<void> {
	await tx
		.updateTable('tool_definitions')
		.set(values)
		.where('workspace_id', '=', workspace_id)
		.where('server_id', '=', server_id)
		.where('name', '=', name)
		.where('hash', '=', hash)
		.execute()
}

/** A server that changes at every check must not fill the store: the newest versions are kept, and those with a decision. */
export async function deleteOldVersions(
	tx: DatabaseTransaction,
	workspaceId: string,
	serverId: string,
	name: string,
	approvedHash: string | null,
): Promise<void> {
	const kept = tx
		.selectFrom('tool_definitions')
		.select('hash')
		.where('workspace_id', '=', workspaceId)
		.where('server_id', '=', serverId)
		.where('name', '=', name)
		.orderBy('first_seen', 'desc')
		.limit(versionsKept)
	await tx
		.deleteFrom('tool_definitions')
		.where('workspace_id', '=', workspaceId)
		.where('server_id', '=', serverId)
		.where('name', '=', name)
		.where('hash', '!=', approvedHash ?? '')
		.where('rejected_at', 'is', null)
		.where('hash', 'not in', kept)
		.execute()
}

export async function setToolTokens(
	tx: DatabaseTransaction,
	{ workspace_id, server_id, name }: Pick<VersionRow, 'workspace_id' | 'server_id' | 'name'>,
	tokens: number | null,
): Promise<void> {
	await tx
		.updateTable('mcp_tools')
		.set({ tokens })
		.where('workspace_id', '=', workspace_id)
		.where('server_id', '=', server_id)
		.where('name', '=', name)
		.execute()
}

/** The enabled grants on a server, which show the tools that some agent has. */
export function listEnabledGrants(
	db: Queryable,
	workspaceId: string,
	serverId: string,
): Promise<{ access_mode: string; allowed_tools: string | null }[]> {
	return db
		.selectFrom('access_grants')
		.select(['access_mode', 'allowed_tools'])
		.where('workspace_id', '=', workspaceId)
		.where('server_id', '=', serverId)
		.where('enabled', '=', 1)
		.distinct()
		.execute()
}

export function findServer(db: Queryable, workspaceId: string, serverId: string) {
	return db
		.selectFrom('mcp_servers')
		.select(['id', 'workspace_id', 'name', 'definition_policy', 'tools_refreshed_at'])
		.where('workspace_id', '=', workspaceId)
		.where('id', '=', serverId)
		.executeTakeFirst()
}

/** For a background job, which knows only the id. */
export function findServerForJob(db: Queryable, serverId: string) {
	return db
		.selectFrom('mcp_servers')
		.select(['id', 'workspace_id'])
		.where('id', '=', serverId)
		.executeTakeFirst()
}

export type ServerOfTools = NonNullable<Awaited<ReturnType<typeof findServer>>>
