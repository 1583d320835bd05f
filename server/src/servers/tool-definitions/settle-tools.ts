import type { DefinitionPolicy, PinReason, PinState } from '@signalbox/contract'
import type { Clock } from '../../platform/clock.ts'
import type { DatabaseTransaction } from '../../platform/database/database.ts'
import { enqueueJob } from '../../platform/jobs/open-jobs.ts'
import { parseExactNumbers } from '../../platform/json/parse-json.ts'
import { findIncompatibility, keepApproved } from './compare/narrowing.ts'
import { areEqualIgnoringAnnotations } from './compare/schema-keywords.ts'
import type { ToolDefinition } from './definition.ts'
import { notifyChanges, type SettledTool } from './notify-changes.ts'
import { flagsIn, hashOf } from './scan/scan-definition.ts'
import { tokenJob } from './tokens/count-job.ts'
import {
	deleteOldVersions,
	insertVersions,
	listEnabledGrants,
	listPins,
	listTools,
	listVersions,
	type PinRow,
	replaceToolRows,
	type ServerOfTools,
	type ToolRow,
	updateVersion,
	upsertPins,
	type VersionRow,
} from './tool-definition-repository.ts'

/**
 * Stores the tools that a server offers now. They must be complete, except at its first checks: until a check has set
 * `tools_refreshed_at`, everything counts as first sight. Every new definition becomes a version, and the server's policy decides
 * what agents see. Returns whether that may have changed; the caller then records a change of the server.
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

/** Evaluates the tools of a server again, after a change of its policy or a decision. */
export async function evaluateTools(
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

interface DefinitionInputs {
	policy: DefinitionPolicy
	/** The hashes of the current and of the approved definition. */
	hash: string
	approvedHash: string | null
	/** Whether a person rejected the current definition. */
	rejected: boolean
	current: ToolDefinition
	/** Null if none was approved, or if it is no longer stored. */
	approved: ToolDefinition | null
	/** Whether it contains something that no well-meaning author writes. */
	hides: boolean
	/** Whether any agent has been granted the tool. */
	held: boolean
	/** Whether the tools of the server are seen for the first time. */
	firstSight: boolean
}

interface Pin {
	state: PinState
	reason: PinReason | null
	detail: string | null
	/** The current definition becomes the approved one. */
	adopt: boolean
}

/**
 * Decides what agents see of a tool; a pure function. An approved definition is open. A rejected one is never adopted, whatever the
 * policy. The policy `allow` adopts everything else. Otherwise a tool that an agent already has never changes without notice: the
 * approved definition is kept while the calls that it allows stay valid (`keep-approved`), or the tool waits for a person. A tool
 * that nobody has yet is adopted unless it hides something.
 */
export function evaluateDefinition(asked: DefinitionInputs): Pin {
	if (asked.hash === asked.approvedHash) return pin('open', null)
	if (asked.policy === 'allow' && !asked.rejected) return adopted
	if ((asked.firstSight || !asked.held) && !asked.rejected)
		return asked.hides ? pin('suspended', 'hidden_text') : adopted
	if (asked.approvedHash === null) return pin('suspended', newReason(asked))
	return evaluateChange(asked)
}

function newReason({ hides, rejected }: DefinitionInputs): PinReason {
	return rejected ? 'rejected' : hides ? 'hidden_text' : 'new'
}

function evaluateChange({ policy, approved, current, rejected }: DefinitionInputs): Pin {
	const detail = approved ? findIncompatibility(approved, current) : 'what was approved is not known any more'
	if (policy !== 'suspend' && detail === null) return pin('kept', rejected ? 'rejected' : 'changed')
	if (rejected) return pin('suspended', 'rejected', detail)
	return policy === 'suspend' ? pin('suspended', 'changed', detail) : pin('suspended', 'incompatible', detail)
}

const adopted: Pin = { state: 'open', reason: null, detail: null, adopt: true }

function pin(state: PinState, reason: PinReason | null, detail: string | null = null): Pin {
	return { state, reason, detail, adopt: false }
}

const similarEnough = 0.6

/**
 * The tool among `gone` of which an added tool seems to be a renamed version: its input schema makes the same demands, and the
 * descriptions share most of their words. Null if there is none, or if several are equally similar.
 */
export function findRenamed(added: ToolDefinition, gone: readonly ToolDefinition[]): string | null {
	const near = gone
		.filter((tool) => areEqualIgnoringAnnotations(tool.inputSchema, added.inputSchema))
		.map((tool) => ({ name: tool.name, likeness: likenessOf(tool, added) }))
		.filter(({ likeness }) => likeness >= similarEnough)
		.sort((a, b) => b.likeness - a.likeness)
	const [best, next] = near
	return best && best.likeness !== next?.likeness ? best.name : null
}

/** The share of words that two descriptions have in common, from 0 to 1. Without descriptions the names are compared. */
function likenessOf(a: ToolDefinition, b: ToolDefinition): number {
	const described = typeof a.description === 'string' && typeof b.description === 'string'
	const was = wordsOf(described ? a.description : a.name)
	const is = wordsOf(described ? b.description : b.name)
	const shared = [...was].filter((word) => is.has(word)).length
	return shared / (Math.max(was.size, is.size) || 1)
}

function wordsOf(text: unknown): Set<string> {
	const spaced = String(text).replaceAll(/([a-z])([A-Z])/g, '$1 $2')
	return new Set(spaced.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
}

/** The information with which a server's tools are evaluated. */
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

/** Evaluates the current tools, and stores the results: versions, pins, and what agents see. */
async function settleTools(
	tx: DatabaseTransaction,
	clock: Clock,
	server: ServerOfTools,
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
	await notifyChanges(tx, clock, server, { before, settled, known })
	if (settled.some(({ row }) => row.tokens === null))
		await enqueueJob(tx, { kind: tokenJob, key: server.id, workspaceId: server.workspace_id }, nowMs)
}

async function readKnown(
	tx: DatabaseTransaction,
	server: ServerOfTools,
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
	{ workspace_id, id }: ServerOfTools,
): Promise<Known['isHeld']> {
	const holders = await listEnabledGrants(tx, workspace_id, id)
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

function settle(known: Known, server: ServerOfTools, tool: ToolDefinition): SettledTool {
	const before = known.pins.get(tool.name)
	const approved = approvedOf(known.versions, before)
	const hash = hashOf(tool)
	const decision = evaluateDefinition({
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
	const pin = pinRow(known, server, tool, { before, decision, hash })
	const served = decision.state === 'kept' && approved ? keepApproved(approved, tool) : null
	const shown = known.versions.get(keyOf(served ? pin.approved_hash : hash, tool.name))
	return {
		pin,
		row: {
			...{ server_id: server.id, workspace_id: server.workspace_id, name: tool.name, hash },
			definition: JSON.stringify(tool),
			pin: decision.state,
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
	server: ServerOfTools,
	tool: ToolDefinition,
	{ before, decision, hash }: { before: PinRow | undefined; decision: Pin; hash: string },
): PinRow {
	const { state, reason, detail, adopt } = decision
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

/**
 * Stores a version for every new definition, and records when removed ones were last seen. Definitions in a store from before
 * versions existed are what its agents saw, so they become the approved ones.
 */
async function keepHistory(
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
