import type { Era } from '../../mcp-client/index.ts'
import { newWireClient, until, type WireClient } from '../testing-client.ts'

const extensions = { 'io.modelcontextprotocol/tasks': {} }

/** The `_meta` of a request of 2026-07-28 that declares tasks. */
export const declaresTasks = { 'io.modelcontextprotocol/clientCapabilities': { extensions } }

/** A client of one era: `begin` starts a task, and `get` polls it until it has ended. */
export interface TaskClient {
	wire: WireClient
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the answer has.
	ask(method: string, params: Record<string, unknown>): Promise<any>
	/** Resolves with the task's id. */
	begin(tool?: string): Promise<string>
	/** Resolves with the result of the call, or its error. */
	// biome-ignore lint/suspicious/noExplicitAny: the same.
	outcome(taskId: string): Promise<any>
}

export async function openTaskClient(
	era: Era,
	url: string,
	key: string,
	capabilities: object = {},
): Promise<TaskClient> {
	const wire = newWireClient(url, key)
	const known = declaresTasks['io.modelcontextprotocol/clientCapabilities']
	const meta = { 'io.modelcontextprotocol/clientCapabilities': { ...known, ...capabilities } }
	if (era === 'legacy') {
		const clientInfo = { name: 'wire', version: '1' }
		const params = { protocolVersion: '2025-11-25', capabilities, clientInfo }
		wire.session = (await wire.request('initialize', params)).headers.get('mcp-session-id') ?? ''
	}
	const ask: TaskClient['ask'] = async (method, params) => {
		const name = params.taskId ?? params.name
		const headers: Record<string, string> = typeof name === 'string' ? { 'mcp-name': name } : {}
		return era === 'legacy'
			? (await wire.request(method, params, `${method} ${Math.random()}`)).body
			: (await wire.modern(method, params, headers, meta)).body
	}
	return {
		wire,
		ask,
		begin: async (tool = 'work') => {
			const wish = era === 'legacy' ? { task: { ttl: 60_000 } } : {}
			const { result } = await ask('tools/call', { name: tool, arguments: {}, ...wish })
			return era === 'legacy' ? result.task.taskId : result.taskId
		},
		outcome: async (taskId) => {
			if (era === 'legacy') {
				const { result, error } = await ask('tasks/result', { taskId })
				return result ?? error
			}
			let task = (await ask('tasks/get', { taskId })).result
			await until(async () => {
				task = (await ask('tasks/get', { taskId })).result
				return !['working', 'input_required'].includes(task.status)
			}, 10_000)
			return task.result ?? task.error ?? task.status
		},
	}
}
