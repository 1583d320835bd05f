import type { DefinitionPolicy, OutputOf, toolDefinitionOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { Flag } from './scan/flag.ts'
import type { PinRow, ServerOfTools, ToolRow, VersionRow } from './tool-definition-repository.ts'

export type DefinitionListDocument = OutputOf<(typeof toolDefinitionOperations)['list']>
type PinnedTool = DefinitionListDocument['definitions'][number]
type Version = OutputOf<(typeof toolDefinitionOperations)['versions']>['versions'][number]

/** Every tool that is or was there: those that the server offers in its order, then those that went. */
export function presentDefinitions(
	server: ServerOfTools,
	tools: readonly ToolRow[],
	pins: readonly PinRow[],
	versions: readonly VersionRow[],
): DefinitionListDocument {
	const byName = new Map(pins.map((pin) => [pin.name, pin]))
	const byHash = new Map(versions.map((version) => [`${version.hash} ${version.name}`, version]))
	const offered = new Set(tools.map(({ name }) => name))
	const shown = tools.flatMap((tool) => {
		const pin = byName.get(tool.name)
		return pin ? [presentTool(pin, tool, byHash.get(`${tool.hash} ${tool.name}`))] : []
	})
	const gone = pins.filter(({ name }) => !offered.has(name)).map((pin) => presentTool(pin, null, undefined))
	return {
		definition_policy: server.definition_policy as DefinitionPolicy,
		definitions: [...shown, ...gone],
		definition_tokens: sumOf(tools),
	}
}

/** Null until all are counted. */
export function sumOf(tools: readonly Pick<ToolRow, 'pin' | 'tokens'>[]): number | null {
	const counts = tools.filter(({ pin }) => pin !== 'suspended').map(({ tokens }) => tokens)
	return counts.includes(null) ? null : counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
}

/** `version`: of what the server offers now. */
function presentTool(pin: PinRow, tool: ToolRow | null, version: VersionRow | undefined): PinnedTool {
	const isRejected = (version?.rejected_at ?? null) !== null
	return {
		name: pin.name,
		state: pin.state as PinnedTool['state'],
		reason: pin.reason as PinnedTool['reason'],
		detail: pin.detail,
		renamed_from: pin.renamed_from,
		pending: tool !== null && pin.state !== 'open' && !isRejected,
		current_hash: tool?.hash ?? null,
		approved_hash: pin.approved_hash,
		since: toIso(pin.since),
		decided_at: pin.decided_at === null ? null : toIso(pin.decided_at),
		decided_by: pin.decided_by,
		definition_tokens: tool?.tokens ?? null,
		flags: JSON.parse(version?.flags ?? '[]') as Flag[],
	}
}

export function presentVersion(
	row: VersionRow,
	{
		current,
		approvedHash,
		lastCheckMs,
	}: { current: boolean; approvedHash: string | null; lastCheckMs: number | null },
): Version {
	return {
		hash: row.hash,
		first_seen: toIso(row.first_seen),
		last_seen: toIso(current ? Math.max(row.last_seen, lastCheckMs ?? 0) : row.last_seen),
		current,
		approved: row.hash === approvedHash,
		definition_tokens: row.tokens,
		flags: JSON.parse(row.flags) as Flag[],
		definition: JSON.parse(row.definition) as unknown,
	}
}
