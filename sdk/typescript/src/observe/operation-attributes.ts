import type { Attributes } from '@opentelemetry/api'
import { isObject, metaOf, type Request, shortText } from './message.ts'
import type { Names } from './names.ts'

/** The subject of an operation, used in the name of its span and in its durations. */
export interface Target {
	spanName: string
	few: Attributes
}

const toolUseKeys = ['claudecode/toolUseId', 'callId', 'copilot/toolCallId'] as const
const conversationKeys = ['threadId', 'ai.opencode/sessionID', 'sessionID'] as const

export function targetOf({ method: given, params }: Request, names: Names): Target {
	const method = shortText(given) ?? 'unknown'
	const name = shortText(params?.name)
	const few: Attributes = { 'mcp.method.name': method }
	if (name === null || !/^(?:tools\/call|prompts\/get)$/.test(method)) return { spanName: method, few }
	if (method === 'prompts/get') few[names.prompt] = name
	else {
		few[names.tool] = name
		few['gen_ai.operation.name'] = 'execute_tool'
	}
	return { spanName: `${method} ${name}`, few }
}

/** Attributes with many values, for spans only. */
export function detailsOf({ id, method, params }: Request, names: Names): Attributes {
	const attributes: Attributes = { [names.requestId]: String(id).slice(0, 128) }
	const uri = method.startsWith('resources/') ? params?.uri : isObject(params?.ref) && params.ref.uri
	add(attributes, 'mcp.resource.uri', shortText(uri, 1024))
	if (method === 'completion/complete' && isObject(params?.ref))
		add(attributes, names.prompt, shortText(params.ref.name))
	if (params?._meta === undefined) return attributes
	add(attributes, 'gen_ai.tool.call.id', firstText(params, toolUseKeys))
	add(attributes, 'gen_ai.conversation.id', firstText(params, conversationKeys))
	return attributes
}

function firstText(params: Request['params'], keys: readonly string[]): string | null {
	const meta = metaOf(params)
	const key = keys.find((each) => shortText(meta[each]) !== null)
	return key === undefined ? null : shortText(meta[key])
}

function add(attributes: Attributes, name: string, value: string | null): void {
	if (value !== null) attributes[name] = value
}
