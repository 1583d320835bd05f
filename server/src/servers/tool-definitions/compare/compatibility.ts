import { isObject, type ToolDefinition } from '../definition.ts'
import { findNarrowing } from './narrowing.ts'

/**
 * Why agents cannot go on with the approved definition of a tool that changed; null when they can: every call that the
 * approved input schema allows is allowed by the present one.
 */
export function findIncompatibility(approved: ToolDefinition, current: ToolDefinition): string | null {
	const found = findNarrowing(approved.inputSchema, current.inputSchema)
	return found && `inputSchema${found.pointer}: ${found.detail}`
}

/**
 * What agents are shown of a tool that changed compatibly: what was approved. A promise about results that may be broken
 * by now is left out, and the tool is not shown as safer than its server says that it is now. Nothing else of the present
 * definition gets in.
 */
export function keepApproved(approved: ToolDefinition, current: ToolDefinition): ToolDefinition {
	const { outputSchema, annotations, ...kept } = approved
	const hints = cautious(annotations, current.annotations)
	return {
		...kept,
		...(isPromiseKept(outputSchema, current.outputSchema) && { outputSchema }),
		...(hints !== undefined && { annotations: hints }),
	}
}

function isPromiseKept(approved: unknown, current: unknown): boolean {
	return approved !== undefined && current !== undefined && findNarrowing(current, approved) === null
}

/** The two hints by which clients decide whether a person is asked. */
function cautious(approved: unknown, current: unknown): unknown {
	if (!isObject(approved)) return approved
	const now = isObject(current) ? current : {}
	return {
		...approved,
		...(approved.readOnlyHint === true && now.readOnlyHint !== true && { readOnlyHint: false }),
		...(approved.destructiveHint === false && now.destructiveHint !== false && { destructiveHint: true }),
	}
}
