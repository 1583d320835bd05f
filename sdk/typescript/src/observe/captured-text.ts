import { redact } from '../redaction.ts'
import { boundedJson } from './bounded-json.ts'

/** The longest secret that a detector finds: one that a limit cuts off is not recognised. */
const marginLength = 16_384
/** The most characters that are searched for secrets. */
const maxSearched = 131_072

/** Redacted JSON of a value, truncated at `maxLength`. */
export function capturedText(value: unknown, maxLength: number): string {
	return redactedStart((length) => boundedJson(value, length), maxLength)
}

/** A redacted message, truncated to the length of a line. */
export function redactedMessage(message: string): string {
	return redactedStart((length) => message.slice(0, length), 256)
}

/**
 * The first `maxLength` characters of a text after redaction. `read` gives its start, which may end within a secret, so its last part
 * is not used; as redaction shortens texts, more may have to be read.
 */
function redactedStart(read: (length: number) => string, maxLength: number): string {
	for (let length = maxLength + marginLength; ; length *= 2) {
		const text = read(length)
		const redacted = redact(text).text
		if (text.length < length) return cut(redacted, maxLength)
		const usable = Math.max(0, redacted.length - marginLength)
		if (usable >= maxLength || length >= maxSearched) return cut(redacted, Math.min(usable, maxLength))
	}
}

function cut(text: string, maxLength: number): string {
	return text.length > maxLength ? text.slice(0, maxLength).toWellFormed() : text
}
