import { setTimeout as sleep } from 'node:timers/promises'
import {
	Cancellation,
	eraOf,
	isObject,
	type JsonObject,
	methodNotFound,
	namedFailure,
	RpcFailure,
	rpcCodes,
	upstreamFailure,
} from '../../mcp-client/index.ts'
import { numberOf } from '../../platform/json/parse-json.ts'
import type { ServerEntry, ToolDefinition } from '../../servers/servers.ts'
import type { Gateway } from '../gateway.ts'
import { enterLimits } from '../limits-of-calls/call-limits.ts'
import { noteFact, type Operation, type TaskOfOperation } from '../operation.ts'
import { ownResult, type Plan, type PlanResult } from '../perform/plan.ts'
import { answerTo, errorToEra } from '../upstreams/answer-rounds.ts'
import type { UpstreamCall } from '../upstreams/upstream.ts'
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

/** Sends a tool call to its server, whether it runs as a task here, at the server, or not as a task. */
export function sendCall(gateway: Gateway, call: ToolCall): Promise<PlanResult> {
	const { operation } = call
	if (operation.task) return sendInTask(gateway, withoutWish(call), operation.task)
	if (operation.client.era === 'legacy' || !knowsTasks(operation.client))
		return gateway.upstreams.request(withoutWish(call))
	return gateway.upstreams.request({ ...call, takeTask: (created) => passTaskOn(gateway, call, created) })
}

/** `task` is a matter between the client and the gateway, so it is not sent on. */
function withoutWish(call: ToolCall): ToolCall {
	if (call.params.task === undefined) return call
	const { task, ...params } = call.params
	return { ...call, params }
}

/** The server made a task of the call. The client gets a task of the gateway that follows the server's. */
async function passTaskOn(gateway: Gateway, call: ToolCall, created: JsonObject): Promise<JsonObject> {
	const state = { isSent: true, upstreamTaskId: idIn(call, created) }
	const task = await beginTask(gateway, call.operation, call, state)
	return presentCreated(task, call.operation.client.era)
}

/** A server's id of its task. MCP knows texts only: a number would come back to the server as another value (`1.0` as `1`). */
function idIn({ server }: ToolCall, { taskId }: JsonObject): string {
	if (typeof taskId === 'string') return taskId
	throw upstreamFailure(server, 'upstream_invalid_answer', 'answered with a task whose `taskId` is no text.')
}

/** Stores `isSent` before sending: what may have reached its server is never sent again. */
async function sendInTask(gateway: Gateway, call: ToolCall, task: TaskOfOperation): Promise<PlanResult> {
	if (task.upstreamTaskId !== null)
		return gateway.upstreams.finish(call, await followUpstreamTask(gateway, call, task.upstreamTaskId))
	await task.noteSent()
	const params = wantsTaskThere(call) ? { ...call.params, task: { ttl: task.ttlMs } } : call.params
	const takeTask = async (created: JsonObject) => {
		const taskId = idIn(call, isObject(created.task) ? created.task : created)
		await task.noteUpstream(taskId)
		return followUpstreamTask(gateway, call, taskId)
	}
	return gateway.upstreams.request({ ...call, params, takeTask })
}

/** Only a legacy server is asked for a task; a modern one decides by itself. */
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

const ttlMs = { default: 2 * 60 * 60_000, max: 24 * 60 * 60_000 }
/** Limit of running tasks of one agent. */
const maxRunning = 100

/** The plan of a call. If it is to run as a task, the plan starts the task and answers at once. */
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

/** Stores the task and starts it without its client. Throws if the agent has too many. */
export async function beginTask(
	gateway: Gateway,
	operation: Operation,
	{ server, tool }: Pick<CalledTool, 'server' | 'tool'>,
	state: Partial<TaskState>,
	release?: () => void,
): Promise<Task> {
	const { store } = gateway.tasks
	const owner = { ...ownerOf(operation.caller), serverId: server.id }
	const call = writeCall(operation)
	const seed = { owner, tool: tool.name, ttlMs: ttlOf(operation), call, state }
	const task = await store.create(seed, maxRunning)
	if (!task) throw tooMany()
	noteFact(operation, 'signalbox.task.id', task.id)
	operation.beganTask = true
	gateway.tasks.start(task, call, release)
	return task
}

/** A legacy client requests a task per call; for a modern client that supports tasks, the gateway decides. */
function wishOf(operation: Operation, called: CalledTool): 'plain' | 'task' | 'refused' {
	const { client, request, task, isRetry } = operation
	if (task || isRetry || !knowsTasks(client)) return 'plain'
	const { server, tool, needsApproval } = called
	const isModern = eraOf(server.protocolVersion ?? '') === 'modern'
	if (client.era === 'modern') return needsApproval || (!isModern && supportsTasks(tool)) ? 'task' : 'plain'
	if (!isObject(request.params.task)) return 'plain'
	return needsApproval || isModern || supportsTasks(tool) ? 'task' : 'refused'
}

/** Whether a legacy server declares that a tool can run as a task. */
export function supportsTasks({ execution }: ToolDefinition): boolean {
	return isObject(execution) && (execution.taskSupport === 'optional' || execution.taskSupport === 'required')
}

function ttlOf({ request }: Operation): number {
	const { task } = request.params
	const wished = (isObject(task) ? numberOf(task.ttl) : null) ?? ttlMs.default
	return Math.max(1, Math.min(ttlMs.max, Math.floor(wished)))
}

function noTaskOf({ tool }: CalledTool): RpcFailure {
	const { code } = methodNotFound('tools/call')
	return new RpcFailure(code, `The tool ${tool.name} does not run as a task; call it without \`task\`.`)
}

function tooMany(): RpcFailure {
	const text = `The agent has ${maxRunning} tasks that run; wait for some of them, or cancel them.`
	return namedFailure(rpcCodes.accessDenied, 'tasks_full', text, { status: 'denied' })
}

/** Bounds and default of the poll interval that a server may ask for, and how often in a row polling may fail. */
const pollMs = { min: 50, default: 1000, max: 30_000 }
const maxFailures = 5

/** Polls a server's task until it has ended. Resolves with the result of the call as the server sent it. */
async function followUpstreamTask(gateway: Gateway, call: UpstreamCall, taskId: string): Promise<JsonObject> {
	const { operation, server } = call
	const follow = eraOf(server.protocolVersion ?? '') === 'modern' ? followModern : followLegacy
	try {
		return await follow(gateway, call, taskId)
	} catch (error) {
		const { failure } = operation.cancellation
		// If only this process is stopping, the next one polls the same task.
		if (failure && failure.errorType !== 'program_ended') await cancelThere(gateway, call, taskId)
		throw error
	}
}

async function followModern(gateway: Gateway, call: UpstreamCall, taskId: string): Promise<JsonObject> {
	const answered = new Set<string>()
	for (;;) {
		const task = await pollTask(gateway, call, taskId)
		if (task.status === 'completed') return isObject(task.result) ? task.result : {}
		if (task.status === 'failed') throw errorToEra(call.operation, readError(task.error))
		if (task.status === 'cancelled') throw cancelledThere(call)
		if (task.status === 'input_required') await answer(gateway, call, taskId, task.inputRequests, answered)
		else await pause(call.operation, task.pollIntervalMs)
	}
}

/** A key stands for one input request only, so an answered one is not asked again. */
async function answer(
	gateway: Gateway,
	call: UpstreamCall,
	taskId: string,
	asked: unknown,
	answered: Set<string>,
): Promise<void> {
	const fresh = Object.entries(isObject(asked) ? asked : {}).filter(([key]) => !answered.has(key))
	if (fresh.length === 0) return pause(call.operation, undefined)
	const answers = await Promise.all(
		fresh.map(async ([key, one]) => [key, await answerTo(call.operation, call.server, one)] as const),
	)
	for (const [key] of fresh) answered.add(key)
	const inputResponses = Object.fromEntries(answers)
	await ask(gateway, call, 'tasks/update', { taskId, inputResponses })
}

/** `tasks/result` waits for the end, and delivers the server's input requests meanwhile. */
async function followLegacy(gateway: Gateway, call: UpstreamCall, taskId: string): Promise<JsonObject> {
	for (;;) {
		const task = await pollTask(gateway, call, taskId)
		if (task.status !== 'working') return ask(gateway, call, 'tasks/result', { taskId })
		await pause(call.operation, task.pollInterval)
	}
}

const maxMessage = 1000

/** Polls once, and passes on what the server says about the task. An unreachable server may still have it, so this is retried. */
async function pollTask(gateway: Gateway, call: UpstreamCall, taskId: string): Promise<JsonObject> {
	for (let failures = 1; ; failures += 1) {
		try {
			const task = await ask(gateway, call, 'tasks/get', { taskId })
			const { status, statusMessage: said } = task
			if (typeof said === 'string' && (status === 'working' || status === 'input_required'))
				await call.operation.task?.setStatusMessage(said.slice(0, maxMessage))
			return task
		} catch (error) {
			const isAway = error instanceof RpcFailure && away.has(error.errorType)
			if (!isAway || failures === maxFailures || call.operation.cancellation.failure) throw error
			await pause(call.operation, pollMs.default * failures)
		}
	}
}

const away: ReadonlySet<string> = new Set(['upstream_unreachable', 'upstream_session_lost', 'timeout'])

function ask(gateway: Gateway, call: UpstreamCall, method: string, params: JsonObject): Promise<JsonObject> {
	const operation = { ...call.operation, request: { ...call.operation.request, method, params } }
	return gateway.upstreams.ask({ operation, server: call.server, params, tool: null })
}

async function cancelThere(gateway: Gateway, call: UpstreamCall, taskId: string): Promise<void> {
	const operation = { ...call.operation, cancellation: new Cancellation() }
	await ask(gateway, { ...call, operation }, 'tasks/cancel', { taskId }).catch(() => {})
}

function pause({ cancellation }: Operation, wishedMs: unknown): Promise<void> {
	const ms = numberOf(wishedMs) ?? pollMs.default
	const ending = new AbortController()
	const release = cancellation.also((failure) => ending.abort(failure))
	return sleep(Math.min(pollMs.max, Math.max(pollMs.min, ms)), undefined, { signal: ending.signal })
		.catch(() => {
			throw cancellation.failure
		})
		.finally(release)
}

function readError(error: unknown): { code: number; message: string; data?: unknown } {
	const { code, message, data } = isObject(error) ? error : {}
	return {
		code: numberOf(code) ?? -32603,
		message: typeof message === 'string' ? message : 'The task failed.',
		...(data !== undefined && { data }),
	}
}

function cancelledThere({ server }: UpstreamCall): RpcFailure {
	return upstreamFailure(server, 'upstream_task_cancelled', 'cancelled the task by itself.')
}
