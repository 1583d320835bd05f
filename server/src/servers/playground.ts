import type { IncomingMessage } from 'node:http'
import type { BodyOf, serverOperations } from '@signalbox/contract'
import { notFound, Problem } from '../platform/errors.ts'
import { principalIn, type RequestContext } from '../platform/http/index.ts'
import {
	callerOf,
	recordChange,
	type ServerContext,
	serverOrNotFound,
	type ToolCallOutcome,
} from './server-context.ts'
import { listTools } from './tool-definitions/index.ts'

const standing: Readonly<Record<string, string>> = {
	inactive: 'it is switched off',
	deploying: 'it is being installed or started',
	error: 'it failed to start',
}

/** Calls a tool of a server for a manager of the workspace; noted in the audit log before it runs. */
export async function callTool(
	servers: ServerContext,
	context: RequestContext,
	request: IncomingMessage,
	{ id, name }: { id: string; name: string },
	body: BodyOf<(typeof serverOperations)['callTool']>,
): Promise<ToolCallOutcome> {
	const caller = callerOf(context)
	const { db } = servers.store
	const row = await serverOrNotFound(db, caller.workspaceId, id)
	if (row.status !== 'active')
		throw new Problem('conflict', `The server cannot be used now: ${standing[row.status] ?? row.status}.`)
	const tools = await listTools(db, caller.workspaceId, id)
	if (!tools.some((tool) => tool.name === name)) {
		if (row.protocol_version !== null) throw notFound('tool')
		throw new Problem(
			'upstream_unreachable',
			'The server was never reached, so that its tools are not known yet.',
		)
	}
	const agentId = body.agent_uuid ?? null
	if (agentId !== null && servers.agents.get(agentId)?.workspaceId !== caller.workspaceId)
		throw notFound('agent')
	await servers.mutate((tx) =>
		recordChange(tx, servers, caller, 'servers.call-tool', row, { tool: name, agent_uuid: agentId }),
	)
	return servers.callTool({
		principal: principalIn(context),
		serverId: id,
		tool: name,
		arguments: body.arguments ?? {},
		agentId,
		request,
		guard: context.guard,
	})
}
