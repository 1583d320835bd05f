import type { AttributeValue } from '../span-row.ts'
import { mapAttributes, mappedKeys, readResource } from './map-attributes.ts'
import { newHotValues } from './names.ts'

export const startNs = 1_795_000_000_000_000_000n

/** As the decoder does: only registered keys reach the mapping. */
export function map(
	attributes: Record<string, AttributeValue>,
	resource: Record<string, AttributeValue> = {},
	{ name = 'a span', otlpKind = 0 } = {},
) {
	const hot = (given: Record<string, AttributeValue>) => {
		const values = newHotValues()
		for (const [key, value] of Object.entries(given)) {
			const number = mappedKeys.get(key)
			if (number !== undefined) values[number] = value
		}
		return values
	}
	return mapAttributes(hot(attributes), readResource(hot(resource)), { startNs, otlpKind, name: () => name })
}
