/** What is searched of a tool. */
export interface Searched {
	name: string
	title?: unknown
	description?: unknown
	inputSchema?: unknown
}

/** Words of a tool with how much each counts. */
interface Words {
	counts: ReadonlyMap<string, number>
	length: number
}

/** The usual parameters of BM25: how soon repetition stops to count, and how much length does. */
const saturation = 1.2
const lengthWeight = 0.6
const weights = { name: 4, title: 3, description: 1, parameter: 1 }

const words = new WeakMap<Searched, Words>()

/** The tools that fit a query, best first, by BM25 over names, titles, descriptions and names of parameters. */
export function rankTools<T extends Searched>(tools: readonly T[], query: string, limit: number): T[] {
	const wanted = new Set(wordsIn(query))
	const all = tools.map(wordsOf)
	const averageLength = all.reduce((sum, { length }) => sum + length, 0) / Math.max(1, all.length)
	const rarity = new Map([...wanted].map((word) => [word, rarityOf(word, all)]))
	return tools
		.map((tool, at) => ({ tool, score: scoreOf(all[at] as Words, rarity, averageLength) }))
		.filter(({ score }) => score > 0)
		.sort((a, b) => b.score - a.score)
		.slice(0, limit)
		.map(({ tool }) => tool)
}

function scoreOf(
	{ counts, length }: Words,
	rarity: ReadonlyMap<string, number>,
	averageLength: number,
): number {
	const damping = saturation * (1 - lengthWeight + (lengthWeight * length) / Math.max(1, averageLength))
	let score = 0
	for (const [word, rare] of rarity) {
		const count = counts.get(word) ?? 0
		score += (rare * count * (saturation + 1)) / (count + damping)
	}
	return score
}

function rarityOf(word: string, all: readonly Words[]): number {
	const having = all.reduce((sum, { counts }) => sum + (counts.has(word) ? 1 : 0), 0)
	return Math.log(1 + (all.length - having + 0.5) / (having + 0.5))
}

/** Read once for as long as the definition lives. */
function wordsOf(tool: Searched): Words {
	const known = words.get(tool)
	if (known) return known
	const counts = new Map<string, number>()
	let length = 0
	const add = (text: unknown, weight: number) => {
		if (typeof text !== 'string') return
		for (const word of wordsIn(text)) {
			counts.set(word, (counts.get(word) ?? 0) + weight)
			length += weight
		}
	}
	add(tool.name, weights.name)
	add(tool.title, weights.title)
	// The beginning says what a tool is for; what follows are often examples that fit anything.
	if (typeof tool.description === 'string') add(tool.description.slice(0, 1000), weights.description)
	for (const name of parameterNames(tool.inputSchema)) add(name, weights.parameter)
	const made = { counts, length }
	words.set(tool, made)
	return made
}

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
