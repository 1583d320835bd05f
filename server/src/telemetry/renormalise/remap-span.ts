import { type HotValues, newHotValues } from '../normalise/hot-keys.ts'
import { mapAttributes, mappedKeys, mapperVersion, readResource } from '../normalise/map-attributes.ts'
import type { Attributes, SpanRow } from '../span-row.ts'

export { mapperVersion }

/** A stored span with the columns that today's mapper makes of its attributes. What it does not find of a session stays. */
export function remapSpan(row: SpanRow): SpanRow {
	const facts = readResource(hotOf(row.resource))
	const mapped = mapAttributes(hotOf(row.attributes), facts, {
		startNs: row.startNs,
		otlpKind: row.otlpKind,
		name: () => row.name,
	})
	return {
		...row,
		...mapped,
		sessionId: mapped.sessionId || row.sessionId,
		serviceName: facts.serviceName,
	}
}

function hotOf(attributes: Attributes): HotValues {
	const hot = newHotValues()
	for (const [key, value] of attributes) {
		const number = mappedKeys.get(key)
		if (number !== undefined) hot[number] = value
	}
	return hot
}
