import { redact } from '../../platform/redaction/index.ts'
import type { AttributeValue } from '../span-row.ts'
import { isContentKey } from './content-keys.ts'

/** The attribute that tells which detectors found something in the content of a span. */
export const redactedKey = 'signalbox.redacted'

/** The value without what is private in its texts, itself when there is nothing; what was found is added to `found`. */
export function redactValue(value: AttributeValue, found: Set<string>): AttributeValue {
	if (typeof value === 'string') return redactText(value, found)
	if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value
	if (Array.isArray(value)) return redactList(value, found)
	const entries = Object.entries(value)
	const redacted = entries.map(([, inner]) => redactValue(inner, found))
	if (redacted.every((inner, i) => inner === entries[i]?.[1])) return value
	const object: { [key: string]: AttributeValue } = Object.create(null)
	for (const [i, [key]] of entries.entries()) object[key] = redacted[i] as AttributeValue
	return object
}

/** The same for the attributes that hold content; the others are left as they are. */
export function redactContent(
	attributes: [string, AttributeValue][],
	found: Set<string>,
): [string, AttributeValue][] {
	return attributes.map(([key, value]) => [key, isContentKey(key) ? redactValue(value, found) : value])
}

function redactList(values: AttributeValue[], found: Set<string>): AttributeValue {
	const redacted = values.map((inner) => redactValue(inner, found))
	return redacted.every((inner, i) => inner === values[i]) ? values : redacted
}

function redactText(value: string, found: Set<string>): string {
	const { text, found: here } = redact(value)
	for (const name of here.keys()) found.add(name)
	return text
}
