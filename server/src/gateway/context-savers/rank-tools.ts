import MiniSearch from 'minisearch'

/** What is searched of a tool. */
export interface Searched {
	name: string
	title?: unknown
	description?: unknown
	inputSchema?: unknown
}

interface Indexed<T> {
	tools: readonly T[]
	index: MiniSearch
}

/** Agents ask about the same tools again and again: the lists of those that asked last are kept with their index. */
const keptMost = 16
const kept: Indexed<Searched>[] = []

/** The tools that fit a query, best first, by BM25 over names, titles, descriptions and names of parameters. */
export function rankTools<T extends Searched>(tools: readonly T[], query: string, limit: number): T[] {
	return indexOf(tools)
		.search(query)
		.slice(0, limit)
		.map(({ id }) => tools[id] as T)
}

function indexOf(tools: readonly Searched[]): MiniSearch {
	const at = kept.findIndex(
		(known) =>
			known.tools.length === tools.length && known.tools.every((tool, index) => tool === tools[index]),
	)
	const [known] = at < 0 ? [{ tools, index: indexed(tools) }] : kept.splice(at, 1)
	kept.unshift(known as Indexed<Searched>)
	kept.length = Math.min(kept.length, keptMost)
	return (known as Indexed<Searched>).index
}

function indexed(tools: readonly Searched[]): MiniSearch {
	const index = new MiniSearch({
		fields: ['name', 'title', 'description', 'parameters'],
		tokenize: wordsIn,
		processTerm: (word) => word,
		searchOptions: { boost: { name: 3 }, bm25: { k: 1.2, b: 0.3, d: 0 } },
	})
	index.addAll(
		tools.map(({ name, title, description, inputSchema }, id) => ({
			...{ id, name, title: textOf(title) },
			// The beginning says what a tool is for; what follows are often examples that fit anything.
			description: textOf(description).slice(0, 1000),
			parameters: parameterNames(inputSchema).join(' '),
		})),
	)
	return index
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

function parameterNames(schema: unknown): string[] {
	const { properties } = (schema ?? {}) as { properties?: unknown }
	return typeof properties === 'object' && properties !== null ? Object.keys(properties).slice(0, 50) : []
}

const stopWords = new Set(
	'a an and are as at be by can do for from get how i in is it its me my of on or our some that the their them then there these this to us want was what when where which who will with you your'.split(
		' ',
	),
)

/** Lower-case stems: `listIssues`, `list_issues` and "lists an issue" have the same. */
export function wordsIn(text: string): string[] {
	return text
		.replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
		.toLowerCase()
		.split(/[^\p{L}\p{N}]+/u)
		.filter((word) => word !== '' && !stopWords.has(word))
		.map(stemOf)
}

/** Endings of English plurals and verbs, cut roughly: both sides are cut alike. */
function stemOf(word: string): string {
	if (word.length <= 3) return word
	const cut = word
		.replace(/ies$/, 'y')
		.replace(/(ss|sh|ch|x)es$/, '$1')
		.replace(/([^s])s$/, '$1')
	if (cut.length <= 4) return cut
	return cut
		.replace(/(ing|ed)$/, '')
		.replace(/([^aeiouls])\1$/, '$1')
		.replace(/e$/, '')
}
