import type { GrantChoice } from './queries.ts'

/** Whether two choices grant the same, whatever the order of the tools. */
export function isSameChoice(a: GrantChoice, b: GrantChoice): boolean {
	if (a.access_mode !== b.access_mode) return false
	if (a.access_mode === 'all') return true
	const names = new Set(a.allowed_tools)
	return (
		names.size === (b.allowed_tools?.length ?? 0) && (b.allowed_tools ?? []).every((name) => names.has(name))
	)
}

export function withTool(choice: GrantChoice, tool: string, granted: boolean): GrantChoice {
	const others = (choice.allowed_tools ?? []).filter((name) => name !== tool)
	return { access_mode: 'selected', allowed_tools: granted ? [...others, tool] : others }
}

export function withMode(choice: GrantChoice, mode: GrantChoice['access_mode']): GrantChoice {
	return mode === 'all'
		? { access_mode: 'all', allowed_tools: null }
		: { access_mode: 'selected', allowed_tools: choice.allowed_tools ?? [] }
}

/** What saving will do, in words: `+2 −1 tools`. */
export function describeChange(before: GrantChoice, after: GrantChoice): string {
	if (after.access_mode === 'all') return 'all tools, also later ones'
	if (before.access_mode === 'all') return `only ${count(after.allowed_tools?.length ?? 0)}`
	const old = new Set(before.allowed_tools)
	const next = new Set(after.allowed_tools)
	const added = [...next].filter((name) => !old.has(name)).length
	const removed = [...old].filter((name) => !next.has(name)).length
	const signs = [added > 0 && `+${added}`, removed > 0 && `−${removed}`].filter(Boolean).join(' ')
	return `${signs} ${added + removed === 1 ? 'tool' : 'tools'}`
}

export function describeGrant({
	access_mode,
	allowed_tools,
}: {
	access_mode: string
	allowed_tools: readonly string[] | null
}): string {
	return access_mode === 'all' ? 'all tools' : count(allowed_tools?.length ?? 0)
}

function count(tools: number): string {
	return tools === 0 ? 'no tools' : `${tools} ${tools === 1 ? 'tool' : 'tools'}`
}
