/** What a model can be expected to read of one answer, in characters: about 12,000 tokens. */
export const mostCharacters = 48_000

/**
 * The answer of an operation as texts for a model: whole, or the entries of its list that fit, with a note how to get
 * the rest. A cursor is taken out of a cut answer, since it would pass over what was cut.
 */
export function fitAnswer(json: string, most = mostCharacters): string[] {
	if (json.length <= most) return [json]
	const answer = JSON.parse(json) as Record<string, unknown>
	const list = Object.entries(answer).find(([, value]) => Array.isArray(value))
	if (!list) return [cutText(json, most), noteOfText(json.length)]
	const [name, entries] = list as [string, unknown[]]
	const { next_cursor: _, ...rest } = answer
	const kept = entriesThatFit(entries, most - JSON.stringify({ ...rest, [name]: [] }).length)
	if (kept === 0) return [cutText(json, most), noteOfText(json.length)]
	const shown = JSON.stringify({ ...rest, [name]: entries.slice(0, kept) })
	return [shown, noteOfList(name, kept, entries.length, 'pagination' in answer || 'next_cursor' in answer)]
}

function entriesThatFit(entries: readonly unknown[], room: number): number {
	let left = room
	return entries.findIndex((entry) => {
		left -= JSON.stringify(entry).length + 1
		return left < 0
	})
}

function noteOfList(name: string, kept: number, all: number, isPaged: boolean): string {
	const how = isPaged
		? `Call again with \`limit\` ${kept} and go on from there with \`page\` or \`cursor\`, or filter.`
		: 'Ask for less, by a filter or for one object.'
	return `Too long: only the first ${kept} of ${all} ${name} are shown. ${how}`
}

function noteOfText(length: number): string {
	return `Too long: only the beginning of ${length} characters is shown. Ask for less, by a filter or a smaller \`limit\`.`
}

/** At a character boundary. */
function cutText(text: string, most: number): string {
	return text
		.slice(0, most)
		.toWellFormed()
		.replace(/\uFFFD$/, '')
}
