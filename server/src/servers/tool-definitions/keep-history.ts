import type { DatabaseTransaction } from '../../platform/database/index.ts'
import { parseExactNumbers } from '../../platform/exact-numbers.ts'
import type { ToolDefinition } from './definition.ts'
import { flagsIn, hashOf } from './inspect.ts'
import type { ServerOfTools } from './tool-definition-repository.ts'
import {
	deleteOldVersions,
	insertVersions,
	listPins,
	type PinRow,
	type ToolRow,
	updateVersion,
	upsertPins,
	type VersionRow,
} from './tool-definition-repository.ts'

/**
 * Makes a version of every definition that is new, and notes when those that went were last there. What a store from
 * before there were versions has is what its agents were given: it becomes the approved definition.
 */
export async function keepHistory(
	tx: DatabaseTransaction,
	server: ServerOfTools,
	tools: readonly ToolDefinition[],
	before: readonly ToolRow[],
	nowMs: number,
): Promise<void> {
	const pins = await listPins(tx, server.workspace_id, server.id)
	const had = before.map(({ definition }) => parseExactNumbers(definition) as ToolDefinition)
	if (pins.length === 0 && had.length > 0) await adoptAll(tx, server, had, nowMs)
	const versions = tools.map((tool) => versionRow(server, tool, nowMs))
	await insertVersions(tx, versions)
	const known = new Set(had.map((tool) => `${hashOf(tool)} ${tool.name}`))
	const approved = new Map(pins.map((pin) => [pin.name, pin.approved_hash]))
	for (const { name, hash } of versions)
		if (!known.has(`${hash} ${name}`))
			await deleteOldVersions(tx, server.workspace_id, server.id, name, approved.get(name) ?? null)
	const present = new Set(versions.map(({ name, hash }) => `${hash} ${name}`))
	for (const tool of had)
		if (!present.has(`${hashOf(tool)} ${tool.name}`))
			await updateVersion(tx, versionRow(server, tool, nowMs), { last_seen: nowMs })
}

async function adoptAll(
	tx: DatabaseTransaction,
	server: ServerOfTools,
	tools: readonly ToolDefinition[],
	nowMs: number,
): Promise<void> {
	await insertVersions(
		tx,
		tools.map((tool) => versionRow(server, tool, nowMs)),
	)
	await upsertPins(
		tx,
		tools.map((tool) => openPin(server, tool, nowMs)),
	)
}

function openPin(server: ServerOfTools, tool: ToolDefinition, nowMs: number): PinRow {
	return {
		...{ server_id: server.id, workspace_id: server.workspace_id, name: tool.name },
		...{ approved_hash: hashOf(tool), state: 'open', reason: null, detail: null },
		...{ renamed_from: null, since: nowMs, decided_at: null, decided_by: null },
	}
}

function versionRow(server: ServerOfTools, tool: ToolDefinition, nowMs: number): VersionRow {
	return {
		...{ server_id: server.id, workspace_id: server.workspace_id, name: tool.name, hash: hashOf(tool) },
		definition: JSON.stringify(tool),
		flags: JSON.stringify(flagsIn(tool)),
		tokens: null,
		first_seen: nowMs,
		last_seen: nowMs,
		rejected_at: null,
	}
}
