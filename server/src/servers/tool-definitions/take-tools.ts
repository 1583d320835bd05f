import type { Clock } from '../../platform/clock.ts'
import type { DatabaseTransaction } from '../../platform/database/index.ts'
import { parseExactNumbers } from '../../platform/exact-numbers.ts'
import type { ToolDefinition } from './definition.ts'
import { settleTools } from './settle-tools.ts'
import { listTools, type ServerOfTools, type ToolRow } from './tool-definition-repository.ts'

/**
 * Takes what a server offers now, all of it but at its first looks (until one has set `tools_refreshed_at`, all that comes
 * is first sight): every definition that was never seen becomes a version, and the server's policy says
 * what agents are shown of it. Whether anything that they are shown may differ; the caller then notes that the server changed.
 */
export async function takeTools(
	tx: DatabaseTransaction,
	clock: Clock,
	server: ServerOfTools,
	tools: readonly ToolDefinition[],
): Promise<boolean> {
	const before = await listTools(tx, server.workspace_id, server.id)
	if (isSame(before, tools)) return false
	await settleTools(tx, clock, server, tools, before)
	return true
}

/** Judges the tools of a server anew, after its policy or a decision changed. */
export async function judgeTools(
	tx: DatabaseTransaction,
	clock: Clock,
	server: ServerOfTools,
): Promise<void> {
	const before = await listTools(tx, server.workspace_id, server.id)
	await settleTools(
		tx,
		clock,
		server,
		before.map(({ definition }) => parseExactNumbers(definition) as ToolDefinition),
		before,
	)
}

function isSame(before: readonly ToolRow[], tools: readonly ToolDefinition[]): boolean {
	if (before.length !== tools.length) return false
	return before.every((row, index) => row.definition === JSON.stringify(tools[index]))
}
