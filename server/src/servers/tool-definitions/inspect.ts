import { setImmediate as nextTurn } from 'node:timers/promises'
import { nowNs } from '../../platform/clock.ts'
import type { Queryable } from '../../platform/database/index.ts'
import { hashDefinition } from './canonical.ts'
import type { ToolDefinition } from './definition.ts'
import type { Flag } from './scan/flag.ts'
import { scanDefinition } from './scan/scan-definition.ts'
import { listHashes } from './tool-definition-repository.ts'

const flagsOf = new WeakMap<ToolDefinition, Flag[]>()
const hashes = new WeakMap<ToolDefinition, string>()
const turnNs = 4_000_000n

export function hashOf(tool: ToolDefinition): string {
	const hash = hashes.get(tool) ?? hashDefinition(tool)
	hashes.set(tool, hash)
	return hash
}

export function flagsIn(tool: ToolDefinition): Flag[] {
	const flags = flagsOf.get(tool) ?? scanDefinition(tool)
	flagsOf.set(tool, flags)
	return flags
}

/**
 * Looks at those definitions that were never seen, a few at a time, so that a long list holds up neither the event loop
 * nor the transaction that will take them. Without it they are looked at when they are taken.
 */
export async function prepareTools(
	db: Queryable,
	server: { id: string; workspace_id: string },
	tools: readonly ToolDefinition[],
): Promise<void> {
	const known = new Set(
		(await listHashes(db, server.workspace_id, server.id)).map(({ name, hash }) => `${hash} ${name}`),
	)
	let started = nowNs()
	for (const tool of tools) {
		if (!known.has(`${hashOf(tool)} ${tool.name}`)) flagsIn(tool)
		if (nowNs() - started < turnNs) continue
		await nextTurn()
		started = nowNs()
	}
}
