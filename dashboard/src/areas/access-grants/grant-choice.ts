import type { GrantChoice } from './queries.ts'

const lists = ['allowed_tools', 'allowed_prompts', 'allowed_resources'] as const
type List = (typeof lists)[number]

const words: Record<List, string> = {
	allowed_tools: 'tool',
	allowed_prompts: 'prompt',
	allowed_resources: 'resource',
}

/** A grant of nothing. */
export const nothing: GrantChoice = {
	access_mode: 'selected',
	allowed_tools: [],
	allowed_prompts: [],
	allowed_resources: [],
}

/** Only the fields of a grant that are chosen here. */
export function choiceOf(grant: GrantChoice): GrantChoice {
	return withMode(grant, grant.access_mode)
}

/** Whether two choices grant the same, whatever the order of their lists. */
export function isSameChoice(a: GrantChoice, b: GrantChoice): boolean {
	if (a.access_mode !== b.access_mode) return false
	return a.access_mode === 'all' || lists.every((list) => changeOf(list, a, b).count === 0)
}

/** Whether a choice grants nothing at all. */
export function grantsNothing(choice: GrantChoice): boolean {
	return choice.access_mode === 'selected' && lists.every((list) => (choice[list] ?? []).length === 0)
}

export function withTool(choice: GrantChoice, tool: string, granted: boolean): GrantChoice {
	const others = (choice.allowed_tools ?? []).filter((name) => name !== tool)
	return { ...choice, allowed_tools: granted ? [...others, tool] : others }
}

export function withMode(choice: GrantChoice, mode: GrantChoice['access_mode']): GrantChoice {
	const filled = (list: List) => (mode === 'all' ? null : (choice[list] ?? []))
	return {
		access_mode: mode,
		allowed_tools: filled('allowed_tools'),
		allowed_prompts: filled('allowed_prompts'),
		allowed_resources: filled('allowed_resources'),
	}
}

/** What saving changes, in words: `+2 −1 tools, +1 prompt`. */
export function describeChange(before: GrantChoice, after: GrantChoice): string {
	if (after.access_mode === 'all') return 'all tools, also later ones'
	if (before.access_mode === 'all') return `only ${describeGrant(after)}`
	return lists
		.map((list) => {
			const { added, removed, count } = changeOf(list, before, after)
			const signs = [added > 0 && `+${added}`, removed > 0 && `−${removed}`].filter(Boolean).join(' ')
			return count > 0 && `${signs} ${words[list]}${count === 1 ? '' : 's'}`
		})
		.filter(Boolean)
		.join(', ')
}

type Described = { access_mode: string } & { [list in List]?: readonly string[] | null }

/** A short description: `all tools`, `2 tools, 1 prompt`. */
export function describeGrant(grant: Described): string {
	if (grant.access_mode === 'all') return 'all tools'
	const counts = lists.map((list) => ({ word: words[list], count: grant[list]?.length ?? 0 }))
	return counts
		.filter(({ word, count }) => count > 0 || word === 'tool')
		.map(({ word, count }) => `${count === 0 ? 'no' : count} ${word}${count === 1 ? '' : 's'}`)
		.join(', ')
}

function changeOf(list: List, before: GrantChoice, after: GrantChoice) {
	const old = new Set(before[list])
	const next = new Set(after[list])
	const added = [...next].filter((name) => !old.has(name)).length
	const removed = [...old].filter((name) => !next.has(name)).length
	return { added, removed, count: added + removed }
}
