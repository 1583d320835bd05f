import { type OtlpKeyValue, toOtlpKeyValues } from '../attribute-text.ts'
import type { Redactor } from '../redaction/redactor.ts'
import type { AttributeValue } from '../span-row.ts'

/** An event of a span. */
export interface Occurrence {
	timeNs: bigint
	name: string
	attributes: [string, AttributeValue][]
	droppedAttributes: number
}

/** A link from a span to another. Ids are in hex, '' if missing. */
export interface Link {
	traceId: string
	spanId: string
	traceState: string
	attributes: [string, AttributeValue][]
	droppedAttributes: number
	flags: number
}

/**
 * Events in OTLP's JSON form, without fields that have their default value; '' if there are none. Findings of redaction are added
 * to `found`.
 */
export function eventsText(events: readonly Occurrence[], redactor: Redactor, found: Set<string>): string {
	return listText(events, ({ timeNs, name, attributes, droppedAttributes }) => ({
		timeUnixNano: String(timeNs),
		name: name.toWellFormed(),
		...shared(withoutPrivate(name, attributes, redactor, found), droppedAttributes),
	}))
}

/** Events of the GenAI conventions are content as a whole; in other events, only attributes that hold content are. */
function withoutPrivate(
	name: string,
	attributes: [string, AttributeValue][],
	redactor: Redactor,
	found: Set<string>,
): [string, AttributeValue][] {
	if (!name.startsWith('gen_ai.')) return redactor.attributes(attributes, found)
	return attributes.map(([key, value]) => [key, redactor.content(value, found)])
}

/** Links in OTLP's JSON form, likewise. */
export function linksText(links: readonly Link[], redactor: Redactor): string {
	return listText(links, ({ traceId, spanId, traceState, attributes, droppedAttributes, flags }) => ({
		traceId,
		spanId,
		...(traceState !== '' && { traceState: traceState.toWellFormed() }),
		...shared(redactor.others(attributes), droppedAttributes),
		...(flags !== 0 && { flags }),
	}))
}

function listText<T>(items: readonly T[], toJson: (item: T) => object): string {
	return items.length === 0 ? '' : JSON.stringify(items.map(toJson))
}

function shared(
	attributes: [string, AttributeValue][],
	dropped: number,
): { attributes?: OtlpKeyValue[]; droppedAttributesCount?: number } {
	return {
		...(attributes.length > 0 && { attributes: toOtlpKeyValues(attributes) }),
		...(dropped !== 0 && { droppedAttributesCount: dropped }),
	}
}
