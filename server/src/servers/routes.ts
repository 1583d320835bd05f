import { serverImportOperations, serverOperations } from '@signalbox/contract'
import { Problem } from '../platform/errors.ts'
import { type BoundOperation, bind } from '../platform/http/index.ts'
import { paginate } from '../platform/paging.ts'
import { readHistory } from './check-history.ts'
import { type Caller, callerOf, type ServerContext, serverOrNotFound } from './context.ts'
import { createServer } from './create-server.ts'
import { removeServer } from './delete-server.ts'
import type { HealthChecks } from './health-checks.ts'
import { importServers } from './import-servers.ts'
import { callTool } from './playground.ts'
import { presentServerFields, type ServerDocument } from './present-server.ts'
import { countGrantsOf, countServers, listServers, type ServerRow } from './repository.ts'
import { checkHealth, readTools, refreshTools } from './tools.ts'
import { changeServer } from './update-server.ts'

export function serverRoutes(servers: ServerContext, checks: HealthChecks): BoundOperation[] {
	const { db } = servers.store
	const present = async (row: ServerRow): Promise<ServerDocument> => ({
		...presentServerFields(row, servers.sealer),
		agent_access: await servers.accessOf(row.workspace_id, row.id),
	})
	/** Both at once: a store on another machine answers after one journey. */
	const read = async (workspaceId: string, id: string): Promise<ServerDocument> => {
		const found = [serverOrNotFound(db, workspaceId, id), servers.accessOf(workspaceId, id)] as const
		const [row, agent_access] = await Promise.all(found)
		return { ...presentServerFields(row, servers.sealer), agent_access }
	}
	const change = async (caller: Caller, id: string, body: Parameters<typeof changeServer>[3]) => {
		return present(await changeServer(servers, caller, id, body))
	}
	const importing = bind(serverImportOperations, {
		run: ({ body, context }) => importServers(servers, callerOf(context), body),
	})
	const managing = bind(serverOperations, {
		list: async ({ query, context }) => {
			const { workspaceId } = callerOf(context)
			const total = await countServers(db, workspaceId, query)
			const rows = await listServers(db, workspaceId, query, query, query)
			const grants = await countGrantsOf(
				db,
				workspaceId,
				rows.map(({ id }) => id),
			)
			const shown = rows.map((row) => ({
				...presentServerFields(row, servers.sealer),
				agent_access_count: grants.get(row.id) ?? 0,
			}))
			return { mcp_servers: shown, pagination: paginate(query, total) }
		},
		create: async ({ body, context }) => present(await createServer(servers, callerOf(context), body)),
		get: ({ params, context }) => read(callerOf(context).workspaceId, params.id),
		update: ({ params, body, context }) => change(callerOf(context), params.id, body),
		replace: ({ params, body, context }) => {
			if (body.url === undefined && body.endpoint_url === undefined && typeof body.command !== 'string')
				throw missingUrl()
			return change(callerOf(context), params.id, {
				description: '',
				configuration: {},
				call_limits: {},
				...{ max_result_bytes: null, tool_prefix: null, tool_aliases: {} },
				...body,
			})
		},
		delete: async ({ params, query, context }) =>
			void (await removeServer(servers, callerOf(context), params.id, query.force)),
		tools: ({ params, context }) => readTools(servers, callerOf(context), params.id),
		refreshTools: ({ params, context }) => refreshTools(servers, checks, callerOf(context), params.id),
		callTool: ({ params, body, context, request }) => callTool(servers, context, request, params, body),
		healthHistory: ({ params, query, context }) => readHistory(servers, callerOf(context), params.id, query),
		health: ({ params, context }) => checkHealth(servers, checks, callerOf(context), params.id),
	})
	return [...managing, ...importing]
}

function missingUrl(): Problem {
	const detail = 'is required'
	return new Problem('invalid_request', `body/url: ${detail}.`, {
		errors: [{ pointer: '/url', code: 'required', detail }],
	})
}
