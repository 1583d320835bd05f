import {
	eraOf,
	isObject,
	type JsonObject,
	methodNotFound,
	namedFailure,
	RpcFailure,
	rpcCodes,
} from '../../mcp-client/index.ts'
import type { ServerEntry, ToolDefinition } from '../../servers/index.ts'
import type { Gateway } from '../gateway.ts'
import { enterLimits } from '../limits-of-calls/call-limits.ts'
import { noteFact, type Operation, type TaskOfOperation } from '../operation.ts'
import { ownResult, type Plan, type PlanResult } from '../perform/plan.ts'
import type { UpstreamCall } from '../upstreams/upstream.ts'
import { followUpstreamTask } from './follow-upstream-task.ts'
import {
	knowsTasks,
	offersTasks,
	ownerOf,
	presentCreated,
	type Task,
	type TaskState,
	writeCall,
} from './task.ts'

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

export interface CalledTool {
	server: ServerEntry
	tool: ToolDefinition
	/** Whether a person must approve the call. */
	needsApproval: boolean
}

const ttlMs = { usual: 2 * 60 * 60_000, most: 24 * 60 * 60_000 }
/** Tasks of one agent that run at the same time. */
const runningMost = 100

/** The plan of a call, or where it is to run as a task the plan that begins the task and answers at once. */
export function asTask(gateway: Gateway, operation: Operation, plan: Plan, called: CalledTool): Plan {
	const wish = wishOf(operation, called)
	if (wish === 'plain') return plan
	if (wish === 'refused') return { ...plan, run: () => Promise.reject(noTaskOf(called)) }
	return {
		...plan,
		run: async () => {
			const { server, tool } = called
			const release = await enterLimits(gateway, operation, { server, tool: tool.name })
			try {
				const task = await beginTask(gateway, operation, called, {}, release)
				return ownResult(presentCreated(task, operation.client.era))
			} catch (error) {
				release()
				throw error
			}
		},
	}
}

/** Stores the task and runs it from then on without its client; throws when the agent has too many. */
export async function beginTask(
	gateway: Gateway,
	operation: Operation,
	{ server, tool }: Pick<CalledTool, 'server' | 'tool'>,
	state: Partial<TaskState>,
	release?: () => void,
): Promise<Task> {
	const { store } = gateway.tasks
	const owner = { ...ownerOf(operation.caller), serverId: server.id }
	if ((await store.countRunning(owner)) >= runningMost) throw tooMany()
	const call = writeCall(operation)
	const task = await store.create({ owner, tool: tool.name, ttlMs: ttlOf(operation), call, state })
	noteFact(operation, 'signalbox.task.id', task.id)
	operation.beganTask = true
	gateway.tasks.start(task, call, release)
	return task
}

/** A legacy client says of each call whether it shall be a task; for a modern one that knows tasks, we decide. */
function wishOf(operation: Operation, called: CalledTool): 'plain' | 'task' | 'refused' {
	const { client, request, task, isRetry } = operation
	if (task || isRetry || !knowsTasks(client)) return 'plain'
	const { server, tool, needsApproval } = called
	const isModern = eraOf(server.protocolVersion ?? '') === 'modern'
	if (client.era === 'modern') return needsApproval || (!isModern && supportsTasks(tool)) ? 'task' : 'plain'
	if (!isObject(request.params.task)) return 'plain'
	return needsApproval || isModern || supportsTasks(tool) ? 'task' : 'refused'
}

/** Whether a legacy server says of a tool that it can run as a task. */
export function supportsTasks({ execution }: ToolDefinition): boolean {
	return isObject(execution) && (execution.taskSupport === 'optional' || execution.taskSupport === 'required')
}

function ttlOf({ request }: Operation): number {
	const { task } = request.params
	const wished = isObject(task) && typeof task.ttl === 'number' ? task.ttl : ttlMs.usual
	return Math.max(1, Math.min(ttlMs.most, Math.floor(wished)))
}

function noTaskOf({ tool }: CalledTool): RpcFailure {
	const { code } = methodNotFound('tools/call')
	return new RpcFailure(code, `The tool ${tool.name} does not run as a task; call it without \`task\`.`)
}

function tooMany(): RpcFailure {
	const text = `The agent has ${runningMost} tasks that run; wait for some of them, or cancel them.`
	return namedFailure(rpcCodes.accessDenied, 'tasks_full', text, { status: 'denied' })
}
