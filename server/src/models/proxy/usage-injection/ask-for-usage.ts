import type { Provider } from '@signalbox/contract'
import type { CallBody } from '../call-body.ts'
import type { ConnectionEntry } from '../connections/connection-view.ts'
import { fieldsIn, parseFields } from '../providers/provider.ts'
import type { Step } from '../reliability/call-plan.ts'

const nothing = Buffer.alloc(0)
/** The end of an event: two line ends of any kind. */
const eventEnd = /\r\n\r\n|\n\n|\r\r/g

/** Removes the usage chunk from a stream whose client did not request it. All other events pass unchanged and whole. */
export class UsageStrip {
	#held: Buffer = nothing

	/** Returns the bytes that may pass now. */
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

	/** Returns the rest when the stream has ended. */
	end(): Buffer {
		const rest = this.#held
		this.#held = nothing
		return isUsageChunk(rest) ? nothing : rest
	}
}

/** A chunk with usage and without choices, which is sent only on request. */
function isUsageChunk(event: Buffer): boolean {
	if (!event.includes('"usage"')) return false
	const data = event
		.toString()
		.split(/\r\n|\n|\r/)
		.flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? [])
	const chunk = parseFields(data.join('\n'))
	return Array.isArray(chunk?.choices) && chunk.choices.length === 0 && fieldsIn(chunk.usage) !== null
}

/** Providers whose streamed completions report usage only on request. */
const silent: ReadonlySet<Provider> = new Set(['openai', 'openai_compatible', 'azure_openai'])
const completions: ReadonlySet<string> = new Set(['chat', 'text_completion'])
const wanted: ReadonlySet<string> = new Set(['stream', 'stream_options'])
const member = '"include_usage":true'

/** The step with a body that requests usage, if its connection has the setting and its client does not request usage itself. */
export function askForUsage(step: Step, connection: ConnectionEntry | null): Step {
	const { provider, surface } = step.target
	const isSilent = silent.has(provider) || surface?.format === 'openai'
	const asksFor = connection?.injectsUsage && isSilent && completions.has(surface?.operation ?? '')
	if (!asksFor) return step
	const body = bodyThatAsks(step.body)
	return body ? { ...step, body, usageInjected: true, plainAnswer: true } : step
}

/** The body, otherwise identical to the byte. Null if it is not a stream, or its client has set the option itself. */
function bodyThatAsks(body: CallBody): CallBody | null {
	const fields = body.fields(wanted)
	if (fields?.get('stream') !== true) return null
	const options = body.member('stream_options')
	const start = body.plain.indexOf('{') + 1
	if (!options) return body.edited(start, start, `"stream_options":{${member}},`)
	const asked = fields.get('stream_options')
	if (asked === null) return body.edited(options.from, options.to, `{${member}}`)
	if (typeof asked !== 'object' || Array.isArray(asked) || 'include_usage' in asked) return null
	const more = Object.keys(asked).length === 0 ? member : `${member},`
	return body.edited(options.from + 1, options.from + 1, more)
}
