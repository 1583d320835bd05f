import type { BodyOf, toolsetOperations } from '@signalbox/contract'
import type { Queryable } from '../../../platform/database/index.ts'
import { notFound, Problem } from '../../../platform/errors.ts'
import { listCurrentTools, type ToolsOfServer } from './repository.ts'

type Given = NonNullable<BodyOf<(typeof toolsetOperations)['create']>['tools']>

/** The tools that a body names, with `*` replaced by what each server has now. 404 for an unknown server, 400 for one named twice. */
export async function resolveTools(
	db: Queryable,
	workspaceId: string,
	given: Given,
): Promise<ToolsOfServer[]> {
	const ids = given.map(({ server_id }) => server_id)
	if (new Set(ids).size < ids.length) throw namedTwice()
	const current = await listCurrentTools(db, workspaceId, ids)
	const resolved = given.map(({ server_id, tools }) => {
		const now = current.get(server_id)
		if (!now) throw notFound('MCP server')
		return { serverId: server_id, tools: tools === '*' ? now : tools }
	})
	return resolved.sort((a, b) => (a.serverId < b.serverId ? -1 : 1))
}

function namedTwice(): Problem {
	const detail = 'must name each server once'
	return new Problem('invalid_request', `body/tools: ${detail}.`, {
		errors: [{ pointer: '/tools', code: 'conflict', detail }],
	})
}
