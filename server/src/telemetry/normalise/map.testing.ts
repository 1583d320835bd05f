import type { AttributeValue, SpanRow } from '../span-row.ts'
import { hotValuesOf, mapAttributes, readResource } from './map-attributes.ts'

export const startNs = 1_795_000_000_000_000_000n

/** As in the decoder, only registered keys reach the mapping. */
export function map(
	attributes: Record<string, AttributeValue>,
	resource: Record<string, AttributeValue> = {},
	{ name = 'a span', otlpKind = 0, scope = '', status = 'unset' as SpanRow['status'], exception = '' } = {},
) {
	const hot = (given: Record<string, AttributeValue>) => hotValuesOf(Object.entries(given))
	return mapAttributes(hot(attributes), readResource(hot(resource), scope), {
		...{ startNs, otlpKind, status, exception: () => exception, name: () => name },
	})
}
