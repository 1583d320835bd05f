import { appendEvent } from '../../accounts/events/events.ts'
import type { Clock } from '../../platform/clock.ts'
import type { DatabaseTransaction } from '../../platform/database/database.ts'
import type { PinRow, ServerOfTools, ToolRow } from './tool-definition-repository.ts'

export interface SettledTool {
	pin: PinRow
	row: Omit<ToolRow, 'position'>
}

/** Maximum number of tools named in an event; a release may change hundreds. */
const maxNamed = 25

interface Change {
	tool: string
	change: 'added' | 'changed' | 'removed'
	hash: string | null
	state: string | null
	reason: string | null
}

/** Announces definitions that changed since the last check, and tools that became suspended. */
export async function notifyChanges(
	tx: DatabaseTransaction,
	clock: Clock,
	server: ServerOfTools,
	{
		before,
		settled,
		known: { pins, firstSight },
	}: {
		before: readonly ToolRow[]
		settled: readonly SettledTool[]
		known: { pins: ReadonlyMap<string, PinRow>; firstSight: boolean }
	},
): Promise<void> {
	const suspended = settled.filter(
		({ pin }) => pin.state === 'suspended' && pins.get(pin.name)?.state !== 'suspended',
	)
	const notify = (type: string, changes: readonly Change[]) => {
		const data = { server: { id: server.id, name: server.name }, count: changes.length }
		const event = { ...data, tools: changes.slice(0, maxNamed) }
		return appendEvent(tx, { workspaceId: server.workspace_id, type, data: event }, clock)
	}
	const changes = firstSight ? [] : changesOf(before, settled)
	if (changes.length > 0) await notify('tool.definition_changed', changes)
	const hashes = new Map(before.map(({ name, hash }) => [name, hash]))
	if (suspended.length > 0)
		await notify(
			'tool.suspended',
			suspended.map((tool) => changeOf(tool, hashes.has(tool.pin.name) ? 'changed' : 'added')),
		)
}

function changesOf(before: readonly ToolRow[], settled: readonly SettledTool[]): Change[] {
	const hashes = new Map(before.map(({ name, hash }) => [name, hash]))
	const now = new Set(settled.map(({ pin }) => pin.name))
	const removed = before.filter(({ name }) => !now.has(name))
	return [
		...settled
			.filter(({ row }) => hashes.get(row.name) !== row.hash)
			.map((tool) => changeOf(tool, hashes.has(tool.pin.name) ? 'changed' : 'added')),
		...removed.map(
			({ name }): Change => ({ tool: name, change: 'removed', hash: null, state: null, reason: null }),
		),
	]
}

function changeOf({ pin, row }: SettledTool, change: Change['change']): Change {
	return { tool: pin.name, change, hash: row.hash, state: pin.state, reason: pin.reason }
}

/** Announces definitions that somebody has approved. */
export async function notifyApproved(
	tx: DatabaseTransaction,
	clock: Clock,
	{ id, name, workspace_id }: ServerOfTools,
	approved: readonly { name: string; hash: string }[],
): Promise<void> {
	if (approved.length === 0) return
	const tools = approved.slice(0, maxNamed).map((each) => ({ tool: each.name, hash: each.hash }))
	const data = { server: { id, name }, count: approved.length, tools }
	await appendEvent(tx, { workspaceId: workspace_id, type: 'tool.approved', data }, clock)
}
