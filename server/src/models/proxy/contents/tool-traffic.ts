import { hashOfArguments } from '../../../platform/arguments-hash.ts'
import type { CarriedResult, ToolUse } from '../../../telemetry/index.ts'
import { type Fields, fieldsIn, textOr } from '../providers/wire-values.ts'

/** What tools have to do with one message, whichever provider's form it has. */
interface ToolTraffic {
	uses: ToolUse[]
	/** Their names are known to the message that asked for them alone: '' here, but in Gemini's form. */
	results: Omit<CarriedResult, 'part'>[]
}

/** `salt`: see `hashOfArguments`. */
export function toolTrafficIn(message: Fields, salt: string): ToolTraffic {
	const blocks = [
		message,
		...listOf(message.tool_calls),
		...listOf(message.content),
		...listOf(message.parts),
	]
	return {
		uses: blocks.flatMap((block) => useIn(block, salt) ?? []),
		results: blocks.flatMap((block) => resultIn(block) ?? []),
	}
}

/** The objects of a list. */
export function listOf(value: unknown): Fields[] {
	return Array.isArray(value) ? value.map(fieldsIn).filter((item) => item !== null) : []
}

function useIn(block: Fields, salt: string): ToolUse | null {
	const { type } = block
	if (type === 'tool_use') return toolUse(block.id, block.name, block.input, salt)
	if (type === 'function_call') return toolUse(block.call_id, block.name, block.arguments, salt)
	const named = fieldsIn(block.function)
	if (named && block.id !== undefined) return toolUse(block.id, named.name, named.arguments, salt)
	const google = fieldsIn(block.functionCall)
	if (google) return toolUse(google.id, google.name, google.args, salt)
	const amazon = fieldsIn(block.toolUse)
	return amazon && toolUse(amazon.toolUseId, amazon.name, amazon.input, salt)
}

function toolUse(id: unknown, name: unknown, given: unknown, salt: string): ToolUse {
	return { id: idOf(id), name: idOf(name), argumentsHash: hashOfArguments(given, salt) }
}

function resultIn(block: Fields): Omit<CarriedResult, 'part'> | null {
	if (block.type === 'tool_result') return carried(block.tool_use_id, block.content)
	if (block.role === 'tool') return carried(block.tool_call_id, block.content)
	if (block.type === 'function_call_output') return carried(block.call_id, block.output)
	const google = fieldsIn(block.functionResponse)
	if (google) return { ...carried(google.id, google.response), name: idOf(google.name) }
	const amazon = fieldsIn(block.toolResult)
	return amazon && carried(amazon.toolUseId, amazon.content)
}

function carried(id: unknown, content: unknown): Omit<CarriedResult, 'part'> {
	return { id: idOf(id), name: '', bytes: Buffer.byteLength(JSON.stringify(content) ?? '') }
}

function idOf(value: unknown): string {
	return textOr(value, '').slice(0, 256)
}
