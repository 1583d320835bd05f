import { isUtf8 } from 'node:buffer'
import { jsonTokens } from '../json-tokens.ts'

interface Place {
	from: number
	to: number
}

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
	for (const { from, to, named } of jsonTokens(json)) {
		const first = json[from]
		if (first === '{' || first === '[') depth += 1
		else if (first === '}' || first === ']') depth -= 1
		else if (!named && !ofModel) places.push({ from, to })
		ofModel = named && depth === 1 && JSON.parse(json.slice(from, to)) === 'model'
	}
	return places
}
