import { fieldsIn, parseFields } from '../providers/wire-values.ts'

const nothing = Buffer.alloc(0)
/** Where an event ends: two line ends of any kind. */
const eventEnd = /\r\n\r\n|\n\n|\r\r/g

/** Takes the chunk of usage out of a stream whose client did not ask for it. The other events pass as they are, whole. */
export class UsageStrip {
	#held: Buffer = nothing

	/** What may pass now. */
	push(chunk: Buffer): Buffer {
		const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
		const text = bytes.toString('latin1')
		const passing: Buffer[] = []
		let from = 0
		for (const { 0: end, index } of text.matchAll(eventEnd)) {
			const to = index + end.length
			const event = bytes.subarray(from, to)
			if (!isUsageChunk(event)) passing.push(event)
			from = to
		}
		this.#held = bytes.subarray(from)
		return passing.length === 1 ? (passing[0] as Buffer) : Buffer.concat(passing)
	}

	/** What is left of a stream that has ended. */
	end(): Buffer {
		const rest = this.#held
		this.#held = nothing
		return isUsageChunk(rest) ? nothing : rest
	}
}

/** A chunk that has usage and no choice: what comes only to those who ask. */
function isUsageChunk(event: Buffer): boolean {
	if (!event.includes('"usage"')) return false
	const data = event
		.toString()
		.split(/\r\n|\n|\r/)
		.flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? [])
	const chunk = parseFields(data.join('\n'))
	return Array.isArray(chunk?.choices) && chunk.choices.length === 0 && fieldsIn(chunk.usage) !== null
}
