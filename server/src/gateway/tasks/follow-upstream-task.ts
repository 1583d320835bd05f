import { setTimeout as sleep } from 'node:timers/promises'
import {
	Cancellation,
	eraOf,
	isObject,
	type JsonObject,
	RpcFailure,
	upstreamFailure,
} from '../../mcp-client/index.ts'
import type { Gateway } from '../gateway.ts'
import type { Operation } from '../operation.ts'
import { answerTo, errorToEra } from '../upstreams/answer-rounds.ts'
import type { UpstreamCall } from '../upstreams/upstream.ts'

/** What a server may wish for between two questions, and how often in a row it may not answer. */
const pollMs = { least: 50, usual: 1000, most: 30_000 }
const failuresMost = 5

/** Asks a server after its task until that has ended; the result of the call in the server's words. */
export async function followUpstreamTask(
	gateway: Gateway,
	call: UpstreamCall,
	taskId: string,
): Promise<JsonObject> {
	const { operation, server } = call
	const follow = eraOf(server.protocolVersion ?? '') === 'modern' ? followModern : followLegacy
	try {
		return await follow(gateway, call, taskId)
	} catch (error) {
		const { failure } = operation.cancellation
		// When only this program ends, the next one asks after the same task.
		if (failure && failure.errorType !== 'program_ended') await cancelThere(gateway, call, taskId)
		throw error
	}
}

async function followModern(gateway: Gateway, call: UpstreamCall, taskId: string): Promise<JsonObject> {
	const answered = new Set<string>()
	for (;;) {
		const task = await look(gateway, call, taskId)
		if (task.status === 'completed') return isObject(task.result) ? task.result : {}
		if (task.status === 'failed') throw errorToEra(call.operation, readError(task.error))
		if (task.status === 'cancelled') throw cancelledThere(call)
		if (task.status === 'input_required') await answer(gateway, call, taskId, task.inputRequests, answered)
		else await pause(call.operation, task.pollIntervalMs)
	}
}

/** A key stands for one question only, so what was answered once is not asked again. */
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

/** `tasks/result` waits for the end and brings what the server asks meanwhile. */
async function followLegacy(gateway: Gateway, call: UpstreamCall, taskId: string): Promise<JsonObject> {
	for (;;) {
		const task = await look(gateway, call, taskId)
		if (task.status !== 'working') return ask(gateway, call, 'tasks/result', { taskId })
		await pause(call.operation, task.pollInterval)
	}
}

/** A server that is away for a moment still has its task. */
async function look(gateway: Gateway, call: UpstreamCall, taskId: string): Promise<JsonObject> {
	for (let failures = 1; ; failures += 1) {
		try {
			return await ask(gateway, call, 'tasks/get', { taskId })
		} catch (error) {
			const isAway = error instanceof RpcFailure && away.has(error.errorType)
			if (!isAway || failures === failuresMost || call.operation.cancellation.failure) throw error
			await pause(call.operation, pollMs.usual * failures)
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
	const ms = typeof wishedMs === 'number' ? wishedMs : pollMs.usual
	const ending = new AbortController()
	const release = cancellation.also((failure) => ending.abort(failure))
	return sleep(Math.min(pollMs.most, Math.max(pollMs.least, ms)), undefined, { signal: ending.signal })
		.catch(() => {
			throw cancellation.failure
		})
		.finally(release)
}

function readError(error: unknown): { code: number; message: string; data?: unknown } {
	const { code, message, data } = isObject(error) ? error : {}
	return {
		code: typeof code === 'number' ? code : -32603,
		message: typeof message === 'string' ? message : 'The task failed.',
		...(data !== undefined && { data }),
	}
}

function cancelledThere({ server }: UpstreamCall): RpcFailure {
	return upstreamFailure(server, 'upstream_task_cancelled', 'cancelled the task by itself.')
}
