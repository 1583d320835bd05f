import { isUtf8 } from 'node:buffer'
import type { FormPart } from '../multipart.ts'
import { JsonTexts } from './json-texts.ts'

/**
 * The texts of a form: every part that is text, as it stands, and where its lines are documents of JSON, as a batch has them,
 * their texts too. What is no text, like a picture or a recording, is none here, as it is none in a document of JSON.
 */
export async function formTexts(form: readonly FormPart[]): Promise<string[]> {
	const texts: string[] = []
	for (const { value } of form) {
		if (!isUtf8(value) || value.includes(0)) continue
		texts.push(value.toString())
		if (!value.includes('\\')) continue
		for (const line of linesOf(value))
			for (const text of (await JsonTexts.read(line))?.texts ?? []) texts.push(text)
	}
	return texts
}

function* linesOf(value: Buffer): Generator<Buffer> {
	for (let from = 0; from < value.length; ) {
		const end = value.indexOf('\n', from)
		const to = end < 0 ? value.length : end
		if (to - from > 1) yield value.subarray(from, to)
		from = to + 1
	}
}
