import { isObject, type ToolDefinition } from '../definition.ts'
import { findNarrowing } from './narrowing.ts'

/**
 * Why agents cannot go on with the approved definition of a tool that changed; null when they can: every call that the
 * approved input schema allows is still allowed, every structured result is still one that the approved output schema
 * promises, and the tool did not become less safe than approved.
 */
export function findIncompatibility(approved: ToolDefinition, current: ToolDefinition): string | null {
	const input = findNarrowing(approved.inputSchema, current.inputSchema)
	if (input) return `inputSchema${input.pointer}: ${input.detail}`
	const output = outputTrouble(approved.outputSchema, current.outputSchema)
	return output ?? lessSafe(approved.annotations, current.annotations)
}

function outputTrouble(approved: unknown, current: unknown): string | null {
	if (approved === undefined) return null
	if (current === undefined) return 'outputSchema: results are no longer promised a structure'
	const found = findNarrowing(current, approved)
	return found && 'outputSchema: a result may no longer be what was promised'
}

/** The two hints by which clients decide whether a person is asked. */
function lessSafe(approved: unknown, current: unknown): string | null {
	const was = isObject(approved) ? approved : {}
	const is = isObject(current) ? current : {}
	if (was.readOnlyHint === true && is.readOnlyHint !== true)
		return 'annotations/readOnlyHint: it was read-only'
	if (was.destructiveHint === false && is.destructiveHint !== false)
		return 'annotations/destructiveHint: it was not destructive'
	return null
}
