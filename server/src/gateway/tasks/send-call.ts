import { eraOf, isObject, type JsonObject } from '../../mcp-client/index.ts'
import type { Gateway } from '../gateway.ts'
import type { TaskOfOperation } from '../operation.ts'
import type { PlanResult } from '../perform/plan.ts'
import type { UpstreamCall } from '../upstreams/upstream.ts'
import { beginTask, supportsTasks } from './as-task.ts'
import { followUpstreamTask } from './follow-upstream-task.ts'
import { presentCreated } from './task.ts'
import { knowsTasks, offersTasks } from './task-capability.ts'

export type ToolCall = UpstreamCall & { tool: NonNullable<UpstreamCall['tool']> }

/** Sends a call of a tool to its server, whichever of the two makes a task of it. */
export function sendCall(gateway: Gateway, call: ToolCall): Promise<PlanResult> {
	const { operation } = call
	if (operation.task) return sendInTask(gateway, withoutWish(call), operation.task)
	if (operation.client.era === 'legacy' || !knowsTasks(operation.client))
		return gateway.upstreams.request(withoutWish(call))
	return gateway.upstreams.request({ ...call, takeTask: (created) => passTaskOn(gateway, call, created) })
}

/** What `task` says is between the client and us. */
function withoutWish(call: ToolCall): ToolCall {
	if (call.params.task === undefined) return call
	const { task, ...params } = call.params
	return { ...call, params }
}

/** The server made a task of the call: its client gets one of ours, which follows the server's. */
async function passTaskOn(gateway: Gateway, call: ToolCall, created: JsonObject): Promise<JsonObject> {
	const state = { isSent: true, upstreamTaskId: String(created.taskId) }
	const task = await beginTask(gateway, call.operation, call, state)
	return presentCreated(task, call.operation.client.era)
}

/** Noted before it is sent: what may have reached its server is never sent again. */
async function sendInTask(gateway: Gateway, call: ToolCall, task: TaskOfOperation): Promise<PlanResult> {
	if (task.upstreamTaskId !== null)
		return gateway.upstreams.finish(call, await followUpstreamTask(gateway, call, task.upstreamTaskId))
	await task.noteSent()
	const params = wantsTaskThere(call) ? { ...call.params, task: { ttl: task.ttlMs } } : call.params
	const takeTask = async (created: JsonObject) => {
		const { taskId } = isObject(created.task) ? created.task : created
		await task.noteUpstream(String(taskId))
		return followUpstreamTask(gateway, call, String(taskId))
	}
	return gateway.upstreams.request({ ...call, params, takeTask })
}

/** A modern server decides by itself. */
function wantsTaskThere({ server, tool }: ToolCall): boolean {
	if (eraOf(server.protocolVersion ?? '') === 'modern' || !supportsTasks(tool)) return false
	return server.introduction !== null && offersTasks(server.introduction)
}
