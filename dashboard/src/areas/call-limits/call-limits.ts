import type { Schemas } from '../../api.ts'

export type CallLimits = Schemas['CallLimits']
/** Tool, or `*` for all tools together → its limits. */
export type ToolLimits = Record<string, CallLimits>

export const allTools = '*'
export const noLimits: CallLimits = { calls_per_minute: null, concurrency: null }

/** Without tools whose limits are empty. */
export function withoutEmpty(limits: ToolLimits): ToolLimits {
	return Object.fromEntries(Object.entries(limits).filter(([, one]) => !isEmpty(one)))
}

export function isEmpty({ calls_per_minute, concurrency }: CallLimits): boolean {
	return calls_per_minute === null && concurrency === null
}
