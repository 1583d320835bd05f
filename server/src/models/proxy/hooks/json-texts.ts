import { setImmediate } from 'node:timers/promises'
import { JsonFault, requestLimits } from '../../../platform/json/json-scan.ts'
import { scanInTurns } from '../../../platform/json/scan-in-turns.ts'

interface Scanned {
	members: readonly { name: string; from: number }[]
	strings: readonly number[]
}

/** Decoding this many texts takes some milliseconds. */
const textsOfTurn = 10_000

/** The texts of a JSON document: all values, but no names. Not the top-level `model`, which is checked elsewhere. */
export class JsonTexts {
	readonly texts: readonly string[]
	readonly #json: Buffer
	/** Start and end of each text. */
	readonly #places: readonly number[]

	private constructor(json: Buffer, places: readonly number[], texts: readonly string[]) {
		this.#json = json
		this.#places = places
		this.texts = texts
	}

	/** Null for anything that not every parser reads as the same JSON, or that is too large. */
	static async read(body: Buffer): Promise<JsonTexts | null> {
		try {
			const options = { limits: requestLimits, members: true, strings: true }
			return await JsonTexts.of(body, await scanInTurns(body, options))
		} catch (error) {
			if (error instanceof JsonFault) return null
			throw error
		}
	}

	/** For a document that was scanned with its members and strings. */
	static async of(json: Buffer, { members, strings }: Scanned): Promise<JsonTexts> {
		const ofModel = members.find(({ name }) => name === 'model')?.from
		const places: number[] = []
		const texts: string[] = []
		for (let at = 0; at < strings.length; at += 2) {
			const [from, to] = [strings[at] as number, strings[at + 1] as number]
			if (from === ofModel) continue
			places.push(from, to)
			if (texts.push(textIn(json, from, to)) % textsOfTurn === 0) await setImmediate()
		}
		return new JsonTexts(json, places, texts)
	}

	/** The document with some texts replaced, otherwise identical to the byte. */
	replace(replaced: ReadonlyMap<string, string>): Buffer {
		const pieces: Buffer[] = []
		let kept = 0
		for (const [at, before] of this.texts.entries()) {
			const text = replaced.get(before)
			if (text === undefined) continue
			pieces.push(this.#json.subarray(kept, this.#places[2 * at]), Buffer.from(JSON.stringify(text)))
			kept = this.#places[2 * at + 1] as number
		}
		return Buffer.concat([...pieces, this.#json.subarray(kept)])
	}
}

function textIn(json: Buffer, from: number, to: number): string {
	const written = json.toString('utf8', from + 1, to - 1)
	return written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written
}
