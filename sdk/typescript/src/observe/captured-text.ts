import { redact } from '../redaction.ts'
import { boundedJson } from './bounded-json.ts'

/** So that a secret which the cut would halve is seen whole before. */
const marginLength = 16_384

/** JSON of a value without what is private in it, cut at `maxLength`. */
export function capturedText(value: unknown, maxLength: number): string {
	return cut(redact(boundedJson(value, maxLength + marginLength)).text, maxLength)
}

/** A message without what is private in it; its length is that of a line. */
export function redactedMessage(message: string): string {
	return cut(redact(message.slice(0, 1024)).text, 256)
}

function cut(text: string, maxLength: number): string {
	return text.length > maxLength ? text.slice(0, maxLength).toWellFormed() : text
}
