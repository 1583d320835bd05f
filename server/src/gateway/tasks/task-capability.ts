import { isObject, type JsonObject, namedFailure, type RpcFailure, rpcCodes } from '../../mcp-client/index.ts'
import type { ClientProgram } from '../operation.ts'

const extension = 'io.modelcontextprotocol/tasks'
/** The one revision of the legacy era that knows tasks. */
const legacyFrom = '2025-11-25'

/** What an endpoint says of tasks to a client: `server/discover` of the modern era, `initialize` of the legacy one. */
export const modernTaskCapability = { extensions: { [extension]: {} } }

export function legacyTaskCapability({
	protocolVersion,
}: Pick<ClientProgram, 'protocolVersion'>): JsonObject {
	if (protocolVersion < legacyFrom) return {}
	return { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
}

/** Whether a client understands an answer that is a task: in the legacy era each request says so by itself. */
export function knowsTasks({ era, protocolVersion, capabilities }: ClientProgram): boolean {
	return era === 'modern' ? hasExtension(capabilities) : protocolVersion >= legacyFrom
}

/** Whether a client says of each call whether it shall be a task, and so has to know which may be. */
export function choosesTasks(client: ClientProgram): boolean {
	return client.era === 'legacy' && knowsTasks(client)
}

/** Whether a server of either era runs calls as tasks. */
export function offersTasks({ capabilities }: { capabilities: JsonObject }): boolean {
	const { tasks } = capabilities
	const requests = isObject(tasks) && isObject(tasks.requests) ? tasks.requests : {}
	return hasExtension(capabilities) || (isObject(requests.tools) && isObject(requests.tools.call))
}

function hasExtension({ extensions }: JsonObject): boolean {
	return isObject(extensions) && isObject(extensions[extension])
}

/** For what only clients may ask that know tasks (-32021). */
export function tasksNotDeclared(): RpcFailure {
	const text = `Declare the extension ${extension} among your capabilities.`
	return namedFailure(rpcCodes.missingCapability, 'tasks_not_declared', text, {
		data: { code: 'tasks_not_declared', requiredCapabilities: modernTaskCapability },
	})
}
