import type { AttributeValue } from '../span-row.ts'

/** The attribute that tells what was found in the content of a span or in a log record: names of detectors and labels of rules. */
export const redactedKey = 'signalbox.redacted'

/** The value with each of its texts as `redactText` leaves it; itself when it leaves them all as they are. */
export function redactValue(value: AttributeValue, redactText: (text: string) => string): AttributeValue {
	if (typeof value === 'string') return redactText(value)
	if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value
	if (Array.isArray(value)) return redactList(value, redactText)
	const entries = Object.entries(value)
	const redacted = entries.map(([, inner]) => redactValue(inner, redactText))
	if (redacted.every((inner, i) => inner === entries[i]?.[1])) return value
	const object: { [key: string]: AttributeValue } = Object.create(null)
	for (const [i, [key]] of entries.entries()) object[key] = redacted[i] as AttributeValue
	return object
}

function redactList(values: AttributeValue[], redactText: (text: string) => string): AttributeValue {
	const redacted = values.map((inner) => redactValue(inner, redactText))
	return redacted.every((inner, i) => inner === values[i]) ? values : redacted
}
