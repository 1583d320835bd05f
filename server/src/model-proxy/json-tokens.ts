/** A string of JSON with its quotes, or a bracket. */
export interface JsonToken {
	from: number
	to: number
	/** Whether it is the name of a field; `to` is before the colon. */
	named: boolean
}

/**
 * The strings and brackets of a JSON text in their order, in time linear to it. An expression for whole strings would not do:
 * it runs out of stack in one of some megabytes.
 */
export function* jsonTokens(text: string): Generator<JsonToken> {
	const mark = /["{}[\]]/g
	const colon = /\s*:/y
	for (let found = mark.exec(text); found; found = mark.exec(text)) {
		const from = found.index
		const isString = text[from] === '"'
		const to = isString ? stringEnd(text, from) : from + 1
		colon.lastIndex = to
		yield { from, to, named: isString && colon.test(text) }
		mark.lastIndex = to
	}
}

function stringEnd(text: string, from: number): number {
	for (let at = from + 1; ; ) {
		const quote = text.indexOf('"', at)
		if (quote < 0) return text.length
		if (!isEscaped(text, quote)) return quote + 1
		at = quote + 1
	}
}

function isEscaped(text: string, quote: number): boolean {
	let at = quote - 1
	while (text[at] === '\\') at -= 1
	return (quote - 1 - at) % 2 === 1
}
