import { isDeepStrictEqual } from 'node:util'
import type { DefinitionPolicy, OutputOf, QueryOf, toolDefinitionOperations } from '@signalbox/contract'
import { toIso } from '../../platform/clock.ts'
import type { Queryable } from '../../platform/database/database.ts'
import { notFound } from '../../platform/errors.ts'
import { findIncompatibility } from './compare/narrowing.ts'
import { isObject, readParts, type ToolDefinition } from './definition.ts'
import type { Flag } from './scan/flag.ts'
import { escapeHidden } from './scan/hidden-characters.ts'
import {
	findServer,
	listPins,
	listTools,
	listVersions,
	type PinRow,
	type ServerOfTools,
	type ToolRow,
	type VersionRow,
} from './tool-definition-repository.ts'

type Operations = typeof toolDefinitionOperations
type Versions = OutputOf<Operations['versions']>['versions']
type Diff = OutputOf<Operations['diff']>

/** All known definitions of a tool, newest first. */
export async function readVersions(
	db: Queryable,
	workspaceId: string,
	serverId: string,
	name: string,
): Promise<Versions> {
	const { server, tool, pin, versions } = await readTool(db, workspaceId, serverId, name)
	return versions.map((version) =>
		presentVersion(version, {
			current: version.hash === tool?.hash,
			approvedHash: pin.approved_hash,
			lastCheckMs: server.tools_refreshed_at,
		}),
	)
}

/** The differences between two definitions of a tool; by default from the approved to the current one. */
export async function readDiff(
	db: Queryable,
	workspaceId: string,
	serverId: string,
	{ name, from, to }: QueryOf<Operations['diff']>,
): Promise<Diff> {
	const { tool, pin, pins, versions } = await readTool(db, workspaceId, serverId, name)
	const old = pins.find((each) => each.name === pin.renamed_from)
	const isRename = from === undefined && pin.approved_hash === null && old !== undefined
	const candidates = isRename ? await listVersions(db, workspaceId, serverId, old.name) : versions
	const before = findVersion(candidates, from ?? (isRename ? old.approved_hash : pin.approved_hash), from)
	const after = findVersion(versions, to ?? tool?.hash ?? null, to)
	if (!after) throw notFound('definition')
	return present(name, before, after)
}

function present(name: string, before: VersionRow | null, after: VersionRow): Diff {
	const was = before ? parse(before) : ({} as ToolDefinition)
	const is = parse(after)
	const incompatibility = before ? findIncompatibility(was, is) : null
	return {
		name,
		from_hash: before?.hash ?? null,
		to_hash: after.hash,
		compatible: before !== null && incompatibility === null,
		incompatibility,
		differences: diffDefinitions(was, is),
	}
}

function parse({ definition }: VersionRow): ToolDefinition {
	return JSON.parse(definition) as ToolDefinition
}

/** Throws 404 if a requested hash does not exist. */
function findVersion(
	versions: readonly VersionRow[],
	hash: string | null,
	asked?: string,
): VersionRow | null {
	const found = versions.find((version) => version.hash === hash) ?? null
	if (asked !== undefined && !found) throw notFound('definition')
	return found
}

async function readTool(db: Queryable, workspaceId: string, serverId: string, name: string) {
	const server = await findServer(db, workspaceId, serverId)
	if (!server) throw notFound('MCP server')
	const pins = await listPins(db, workspaceId, serverId)
	const pin = pins.find((each) => each.name === name)
	if (!pin) throw notFound('tool')
	const tool = (await listTools(db, workspaceId, serverId)).find((each) => each.name === name)
	return { server, pin, pins, tool, versions: await listVersions(db, workspaceId, serverId, name) }
}

type DefinitionListDocument = OutputOf<(typeof toolDefinitionOperations)['list']>
type PinnedTool = DefinitionListDocument['definitions'][number]
type Version = OutputOf<(typeof toolDefinitionOperations)['versions']>['versions'][number]

/** All tools, current and removed: first those that the server offers, in its order, then the removed ones. */
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

/** @param version the version that the server offers now */
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

function presentVersion(
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

/** One place in which two definitions of a tool differ. */
interface Difference {
	part: (typeof readParts)[number]
	/** JSON pointer within the part; '' is the part itself. */
	pointer: string
	change: 'added' | 'removed' | 'changed'
	/** Null if it did not, or does not, exist. */
	from: unknown
	to: unknown
	/** For people, with hidden characters escaped. */
	text: string
}

const maxDifferences = 500
const maxExcerpt = 300

/** The differences of two definitions in what agents and people read, in the order of the parts; at most 500. */
export function diffDefinitions(before: ToolDefinition, after: ToolDefinition): Difference[] {
	const found: Difference[] = []
	for (const part of readParts) diff(found, part, '', before[part], after[part])
	return found
}

function diff(
	found: Difference[],
	part: Difference['part'],
	pointer: string,
	from: unknown,
	to: unknown,
): void {
	if (isDeepStrictEqual(from, to) || found.length >= maxDifferences) return
	const [was, is] = [fieldsOf(from), fieldsOf(to)]
	if (was && is) diffFields(found, part, pointer, was, is)
	else found.push(differenceOf(part, pointer, from, to))
}

/** Objects, and lists of objects, are compared field by field. */
function fieldsOf(value: unknown): Record<string, unknown> | null {
	if (Array.isArray(value) && value.some(isObject)) return { ...value }
	return isObject(value) ? value : null
}

function differenceOf(part: Difference['part'], pointer: string, from: unknown, to: unknown): Difference {
	const change = from === undefined ? 'added' : to === undefined ? 'removed' : 'changed'
	const difference = { part, pointer, change, from: from ?? null, to: to ?? null } as const
	return { ...difference, text: sentence(difference) }
}

function diffFields(
	found: Difference[],
	part: Difference['part'],
	pointer: string,
	from: Record<string, unknown>,
	to: Record<string, unknown>,
): void {
	for (const name of new Set([...Object.keys(from), ...Object.keys(to)])) {
		const inner = `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
		diff(found, part, inner, own(from, name), own(to, name))
	}
}

function own(object: Record<string, unknown>, name: string): unknown {
	return Object.hasOwn(object, name) ? object[name] : undefined
}

function sentence({ part, pointer, change, from, to }: Omit<Difference, 'text'>): string {
	const place = escapeHidden(`${part}${pointer}`)
	if (change === 'added') return `${place} was added: ${excerpt(to)}`
	if (change === 'removed') return `${place} was removed: ${excerpt(from)}`
	return `${place} changed from ${excerpt(from)} to ${excerpt(to)}`
}

function excerpt(value: unknown): string {
	const text = escapeHidden(JSON.stringify(value) ?? 'null')
	return text.length > maxExcerpt ? `${text.slice(0, maxExcerpt)}…` : text
}
