import type { DefinitionPolicy } from '@signalbox/contract'
import type { Clock } from '../../platform/clock.ts'
import type { DatabaseTransaction } from '../../platform/database/index.ts'
import { parseExactNumbers } from '../../platform/exact-numbers.ts'
import { enqueueJob } from '../../platform/jobs/index.ts'
import { keepApproved } from './compare/compatibility.ts'
import { findRenamed } from './compare/rename.ts'
import type { ToolDefinition } from './definition.ts'
import { flagsIn, hashOf } from './inspect.ts'
import { judgeDefinition, type Pin } from './judge-definition.ts'
import { keepHistory } from './keep-history.ts'
import {
	listHolders,
	listPins,
	listVersions,
	type PinRow,
	replaceToolRows,
	type ToolRow,
	upsertPins,
	type VersionRow,
} from './repository.ts'
import type { ServerWithTools } from './take-tools.ts'
import { tellChanges } from './tell-changes.ts'
import { tokenJob } from './tokens/count-job.ts'

/** What is known of a server's tools when they are judged. */
interface Known {
	policy: DefinitionPolicy
	pins: ReadonlyMap<string, PinRow>
	/** By hash and name. */
	versions: ReadonlyMap<string, VersionRow>
	isHeld(name: string): boolean
	firstSight: boolean
	/** Approved definitions of tools that the server no longer offers. */
	gone: readonly ToolDefinition[]
	nowMs: number
}

/** Judges tools as they are now, and stores what follows: versions, pins, and what agents are shown. */
export async function settleTools(
	tx: DatabaseTransaction,
	clock: Clock,
	server: ServerWithTools,
	tools: readonly ToolDefinition[],
	before: readonly ToolRow[],
): Promise<void> {
	const nowMs = clock.nowMs()
	await keepHistory(tx, server, tools, before, nowMs)
	const known = await readKnown(tx, server, tools, nowMs)
	const settled = tools.map((tool) => settle(known, server, tool))
	await upsertPins(
		tx,
		settled.map(({ pin }) => pin).filter((pin) => !isStored(known.pins.get(pin.name), pin)),
	)
	await replaceToolRows(
		tx,
		server.workspace_id,
		server.id,
		settled.map(({ row }, position) => ({ ...row, position })),
	)
	await tellChanges(tx, clock, server, { before, settled, known })
	if (settled.some(({ row }) => row.tokens === null))
		await enqueueJob(tx, { kind: tokenJob, key: server.id, workspaceId: server.workspace_id }, nowMs)
}

async function readKnown(
	tx: DatabaseTransaction,
	server: ServerWithTools,
	tools: readonly ToolDefinition[],
	nowMs: number,
): Promise<Known> {
	const pins = await listPins(tx, server.workspace_id, server.id)
	const versions = await listVersions(tx, server.workspace_id, server.id)
	const byHash = new Map(versions.map((version) => [keyOf(version.hash, version.name), version]))
	const offered = new Set(tools.map(({ name }) => name))
	return {
		policy: server.definition_policy as DefinitionPolicy,
		pins: new Map(pins.map((pin) => [pin.name, pin])),
		versions: byHash,
		isHeld: await readHolders(tx, server),
		firstSight: pins.length === 0 || server.tools_refreshed_at === null,
		gone: pins.filter(({ name }) => !offered.has(name)).flatMap((pin) => approvedOf(byHash, pin) ?? []),
		nowMs,
	}
}

function keyOf(hash: string | null, name: string): string {
	return `${hash} ${name}`
}

async function readHolders(
	tx: DatabaseTransaction,
	{ workspace_id, id }: ServerWithTools,
): Promise<Known['isHeld']> {
	const holders = await listHolders(tx, workspace_id, id)
	if (holders.some(({ access_mode }) => access_mode === 'all')) return () => true
	const named = new Set(holders.flatMap((holder) => JSON.parse(holder.allowed_tools ?? '[]') as string[]))
	return (name) => named.has(name)
}

function approvedOf(
	versions: Known['versions'],
	pin: Pick<PinRow, 'approved_hash' | 'name'> | undefined,
): ToolDefinition | null {
	const version = pin && versions.get(keyOf(pin.approved_hash, pin.name))
	return version ? (parseExactNumbers(version.definition) as ToolDefinition) : null
}

export interface SettledTool {
	pin: PinRow
	row: Omit<ToolRow, 'position'>
}

function settle(known: Known, server: ServerWithTools, tool: ToolDefinition): SettledTool {
	const before = known.pins.get(tool.name)
	const approved = approvedOf(known.versions, before)
	const hash = hashOf(tool)
	const verdict = judgeDefinition({
		policy: known.policy,
		hash,
		approvedHash: before?.approved_hash ?? null,
		rejected: (known.versions.get(keyOf(hash, tool.name))?.rejected_at ?? null) !== null,
		current: tool,
		approved,
		hides: flagsOfVersion(known, tool, hash).some(({ severity }) => severity === 'high'),
		held: known.isHeld(tool.name),
		firstSight: known.firstSight,
	})
	const pin = pinRow(known, server, tool, { before, verdict, hash })
	const served = verdict.state === 'kept' && approved ? keepApproved(approved, tool) : null
	const shown = known.versions.get(keyOf(served ? pin.approved_hash : hash, tool.name))
	return {
		pin,
		row: {
			...{ server_id: server.id, workspace_id: server.workspace_id, name: tool.name, hash },
			definition: JSON.stringify(tool),
			pin: verdict.state,
			served: served && JSON.stringify(served),
			tokens: shown?.tokens ?? null,
		},
	}
}

function flagsOfVersion({ versions }: Known, tool: ToolDefinition, hash: string) {
	const version = versions.get(keyOf(hash, tool.name))
	return version ? (JSON.parse(version.flags) as ReturnType<typeof flagsIn>) : flagsIn(tool)
}

function pinRow(
	known: Known,
	server: ServerWithTools,
	tool: ToolDefinition,
	{ before, verdict, hash }: { before: PinRow | undefined; verdict: Pin; hash: string },
): PinRow {
	const { state, reason, detail, adopt } = verdict
	const isNew = (before?.approved_hash ?? null) === null
	return {
		...{ server_id: server.id, workspace_id: server.workspace_id, name: tool.name },
		approved_hash: adopt ? hash : (before?.approved_hash ?? null),
		...{ state, reason, detail },
		renamed_from:
			state === 'suspended' && isNew ? (findRenamed(tool, known.gone) ?? before?.renamed_from ?? null) : null,
		since: before && before.state === state && before.reason === reason ? before.since : known.nowMs,
		decided_at: before?.decided_at ?? null,
		decided_by: before?.decided_by ?? null,
	}
}

function isStored(before: PinRow | undefined, pin: PinRow): boolean {
	if (!before) return false
	const columns = Object.keys(pin) as (keyof PinRow)[]
	return columns.every((column) => String(before[column]) === String(pin[column]))
}
