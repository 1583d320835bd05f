import type { AttributeValue } from '../span-row.ts'
import * as names from './names.ts'
import { first, firstText, type HotValues } from './names.ts'

const eventName = 'exception'
const typeKey = 'exception.type'
const messageKey = 'exception.message'

type Events = readonly { name: string; attributes: readonly [string, AttributeValue][] }[]

/** Rust's tracing names an event after its text, also one that has the attributes of an exception. */
const isException = ({ name, attributes }: Events[number]) =>
	name === eventName || attributes.some(([key]) => key === messageKey)

/** An attribute of the last exception that a span has recorded as an event; '' where there is none. */
function lastException(events: Events, wanted: string): string {
	const value = events.findLast(isException)?.attributes.find(([key]) => key === wanted)?.[1]
	return typeof value === 'string' ? value : ''
}

const traceback = 'Traceback (most recent call last):'

/** LangSmith records every error as an `Exception`, whose message is the error in Python's notation and its traceback. */
function typeOf(type: string, message: string): string {
	const written =
		type === 'Exception' && message.includes(traceback) ? /^[A-Za-z_]\w*(?=\()/.exec(message) : null
	return written?.[0] ?? type
}

/** The type of the last exception. */
export const exceptionType = (events: Events): string =>
	typeOf(lastException(events, typeKey), lastException(events, messageKey))

interface StoredEvent {
	name?: string
	attributes?: { key: string; value: { stringValue?: string } }[]
}

/** `events` as they are stored, in OTLP's JSON form. */
function lastStoredException(events: string, wanted: string): string {
	if (!events.includes(wanted)) return ''
	const given = JSON.parse(events) as StoredEvent[]
	return lastException(
		given.map(({ name = '', attributes = [] }) => ({
			name,
			attributes: attributes.map(({ key, value }) => [key, value.stringValue ?? null]),
		})),
		wanted,
	)
}

export const storedExceptionType = (events: string): string =>
	typeOf(lastStoredException(events, typeKey), lastStoredException(events, messageKey))
/** Its message. Many instrumentations (Java, .NET, Anthropic's) write it here alone, and none into the status. */
export const storedExceptionMessage = (events: string): string => lastStoredException(events, messageKey)

/**
 * Of OpenTelemetry's instrumentations, Elastic's and OpenLLMetry's. They set the status of a call that failed, and some have this finish
 * reason wherever the provider gave none, as in OpenAI's Responses API through LangChain.
 */
const instrumentations = 'opentelemetry.instrumentation.'

/**
 * Mastra sets the status of the agent's span only; a failed call has this finish reason. The ADK for JavaScript says nothing of a
 * stream that broke off, but the last answer that it has is a part of one.
 */
export function endsInError(values: HotValues, scope: string): boolean {
	if (firstText(values, names.adkResponse).endsWith(',"partial":true}')) return true
	if (scope.startsWith(instrumentations)) return false
	const reasons = first(values, names.finishReasons)
	const only = Array.isArray(reasons) && reasons.length === 1 ? reasons[0] : reasons
	return only === 'error' || only === '["error"]'
}

/** Semantic Kernel reports a class of Python as Python prints it. */
export function errorTypeOf(values: HotValues): string {
	const type = firstText(values, names.errorType)
	return type.startsWith('<class ') ? type.replace(/^<class '(.+)'>$/, '$1') : type
}
