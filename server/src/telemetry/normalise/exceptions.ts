import type { AttributeValue } from '../span-row.ts'

const eventName = 'exception'
const typeKey = 'exception.type'

/** Of which type the last exception is that a span has recorded as an event; '' where there is none. */
export function exceptionType(
	events: readonly { name: string; attributes: readonly [string, AttributeValue][] }[],
): string {
	const type = events
		.findLast(({ name }) => name === eventName)
		?.attributes.find(([key]) => key === typeKey)?.[1]
	return typeof type === 'string' ? type : ''
}

interface StoredEvent {
	name?: string
	attributes?: { key: string; value: { stringValue?: string } }[]
}

/** The same of events as they are stored, in OTLP's JSON form. */
export function storedExceptionType(events: string): string {
	if (!events.includes(typeKey)) return ''
	const given = JSON.parse(events) as StoredEvent[]
	return exceptionType(
		given.map(({ name = '', attributes = [] }) => ({
			name,
			attributes: attributes.map(({ key, value }) => [key, value.stringValue ?? null]),
		})),
	)
}
