import type { OutputOf, QueryOf, toolDefinitionOperations } from '@signalbox/contract'
import type { Queryable } from '../../platform/database/index.ts'
import { notFound } from '../../platform/errors.ts'
import { findIncompatibility } from './compare/compatibility.ts'
import { diffDefinitions } from './compare/diff.ts'
import type { ToolDefinition } from './definition.ts'
import { presentVersion } from './present.ts'
import {
	findServer,
	listPins,
	listTools,
	listVersions,
	type VersionRow,
} from './tool-definition-repository.ts'

type Operations = typeof toolDefinitionOperations
type Versions = OutputOf<Operations['versions']>['versions']
type Diff = OutputOf<Operations['diff']>

/** Every definition of a tool that was seen, newest first. */
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

/** What differs between two definitions of a tool: by itself from the approved one to the present one. */
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

/** A hash that was asked for must be there. */
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
