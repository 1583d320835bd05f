import type { ToolDefinition } from '../definition.ts'
import { demandsSame } from './schema-words.ts'

const similarEnough = 0.6

/**
 * The one of the `gone` tools that an added one seems to be under another name: its input schema demands the same, and
 * the descriptions share most of their words. Null when none is, or when several are equally near.
 */
export function findRenamed(added: ToolDefinition, gone: readonly ToolDefinition[]): string | null {
	const near = gone
		.filter((tool) => demandsSame(tool.inputSchema, added.inputSchema))
		.map((tool) => ({ name: tool.name, likeness: likenessOf(tool, added) }))
		.filter(({ likeness }) => likeness >= similarEnough)
		.sort((a, b) => b.likeness - a.likeness)
	const [best, next] = near
	return best && best.likeness !== next?.likeness ? best.name : null
}

/** Of their words, how many two descriptions share, from 0 to 1; two empty ones tell nothing, so their names decide. */
function likenessOf(a: ToolDefinition, b: ToolDefinition): number {
	const described = typeof a.description === 'string' && typeof b.description === 'string'
	const was = wordsOf(described ? a.description : a.name)
	const is = wordsOf(described ? b.description : b.name)
	const shared = [...was].filter((word) => is.has(word)).length
	return shared / (Math.max(was.size, is.size) || 1)
}

function wordsOf(text: unknown): Set<string> {
	const spaced = String(text).replaceAll(/([a-z])([A-Z])/g, '$1 $2')
	return new Set(spaced.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
}
