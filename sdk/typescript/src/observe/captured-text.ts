import { redact } from '../redaction.ts'
import { boundedJson } from './bounded-json.ts'

/** So that a secret across the truncation limit is recognised before it is truncated. */
const marginLength = 16_384

/** Redacted JSON of a value, truncated at `maxLength`. */
export function capturedText(value: unknown, maxLength: number): string {
	return cut(redact(boundedJson(value, maxLength + marginLength)).text, maxLength)
}

/** A redacted message, truncated to the length of a line. */
export function redactedMessage(message: string): string {
	return cut(redact(message.slice(0, 1024)).text, 256)
}

function cut(text: string, maxLength: number): string {
	return text.length > maxLength ? text.slice(0, maxLength).toWellFormed() : text
}
