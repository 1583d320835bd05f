import { isUtf8 } from 'node:buffer'

interface Place {
	from: number
	to: number
}

/** A string with the colon that makes it a name, or a bracket. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|[{}[\]]/gs

/** The texts of a JSON document: all values, no names. The top-level `model` is none: it is judged elsewhere. */
export class JsonTexts {
	readonly texts: readonly string[]
	readonly #json: string
	readonly #places: readonly Place[]

	private constructor(json: string) {
		this.#json = json
		this.#places = placesIn(json)
		this.texts = this.#places.map(({ from, to }) => JSON.parse(json.slice(from, to)) as string)
	}

	/** Null for what is no JSON. */
	static read(body: Buffer): JsonTexts | null {
		if (!isUtf8(body)) return null
		const json = body.toString()
		try {
			JSON.parse(json)
		} catch {
			return null
		}
		return new JsonTexts(json)
	}

	/** The document with other texts, the same to the byte else. */
	replace(replaced: ReadonlyMap<string, string>): Buffer {
		let result = ''
		let kept = 0
		for (const [at, { from, to }] of this.#places.entries()) {
			const text = replaced.get(this.texts[at] as string)
			if (text === undefined) continue
			result += this.#json.slice(kept, from) + JSON.stringify(text)
			kept = to
		}
		return Buffer.from(result + this.#json.slice(kept))
	}
}

function placesIn(json: string): Place[] {
	const places: Place[] = []
	let depth = 0
	let ofModel = false
	for (const { 0: token, 1: colon, index } of json.matchAll(tokens)) {
		if (token === '{' || token === '[') depth += 1
		else if (token === '}' || token === ']') depth -= 1
		else if (colon !== undefined) {
			ofModel = depth === 1 && JSON.parse(token.slice(0, -colon.length)) === 'model'
			continue
		} else if (!ofModel) places.push({ from: index, to: index + token.length })
		ofModel = false
	}
	return places
}
