/** What a message says, out of the JSON of any provider; its JSON where it has no text. A cut one is no JSON any more. */
export function messageText(json: string): string {
	try {
		return textOf(JSON.parse(json)) || json
	} catch {
		return json
	}
}

/** Where providers put what is said, in the order in which it is looked for. */
const places = [
	'content',
	'parts',
	'text',
	'output_text',
	'thinking',
	'output',
	'result',
	'response',
	'choices',
	'message',
] as const

function textOf(value: unknown): string {
	if (typeof value === 'string') return value
	if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join('\n')
	if (typeof value !== 'object' || value === null) return ''
	return callText(value as Record<string, unknown>) || placedText(value as Record<string, unknown>)
}

const callTypes: readonly unknown[] = ['tool_use', 'function_call', 'tool_call', 'tool-call']

/** A tool that the model asked for. */
function callText({ type, name, toolName, input, args, arguments: given }: Record<string, unknown>): string {
	if (!callTypes.includes(type)) return ''
	const asked = given ?? input ?? args ?? {}
	return `${String(name ?? toolName)}(${typeof asked === 'string' ? asked : JSON.stringify(asked)})`
}

function placedText(value: Record<string, unknown>): string {
	const found = places.map((place) => textOf(value[place])).find((text) => text !== '')
	const calls = Array.isArray(value.tool_calls) ? value.tool_calls.map(toolCallText) : []
	return [found, ...calls].filter(Boolean).join('\n')
}

interface Called {
	name?: string
	arguments?: string
}

function toolCallText(call: { function?: Called } & Called): string {
	const { name, arguments: given } = call.function ?? call
	return name ? `${name}(${given ?? ''})` : ''
}
