import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { nowNs } from '../../platform/clock.ts'
import type { Queryable } from '../../platform/database/index.ts'
import { isSourceNumber } from '../../platform/exact-numbers.ts'
import { readParts, type ToolDefinition } from './definition.ts'
import type { Flag } from './scan/flag.ts'
import { scanDefinition } from './scan/scan-definition.ts'
import { listHashes } from './tool-definition-repository.ts'

/** SHA-256, hex, over the canonical form of what is read of a tool: the same for every order of its fields. */
export function hashDefinition(tool: ToolDefinition): string {
	const parts = readParts.filter((part) => tool[part] !== undefined).map((part) => [part, tool[part]])
	return createHash('sha256')
		.update(canonicalJson(Object.fromEntries(parts)))
		.digest('hex')
}

/** JSON with sorted names and no space (RFC 8785), but with numbers as their source wrote them where that is known. */
export function canonicalJson(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
	if (typeof value !== 'object' || value === null || isSourceNumber(value))
		return JSON.stringify(value) ?? 'null'
	const fields = Object.entries(value).filter(([, inner]) => inner !== undefined)
	fields.sort(([a], [b]) => (a < b ? -1 : 1))
	return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`).join(',')}}`
}

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
