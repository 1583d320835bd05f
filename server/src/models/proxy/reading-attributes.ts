import type { AttributeValue } from '../../telemetry/index.ts'
import type { Reading } from './providers/provider.ts'

/** What a record tells of an answer beside its columns. */
export type ReadingTold = Pick<
	Reading,
	'responseId' | 'finishReason' | 'serviceTier' | 'speed' | 'geo' | 'rawUsage' | 'usage'
>

export function addReading(attributes: Map<string, AttributeValue>, reading: ReadingTold): void {
	const set = (name: string, value: string) => {
		if (value) attributes.set(name, value)
	}
	set('gen_ai.response.id', reading.responseId)
	if (reading.finishReason) attributes.set('gen_ai.response.finish_reasons', [reading.finishReason])
	set('signalbox.service_tier', reading.serviceTier)
	set('signalbox.speed', reading.speed)
	set('signalbox.geo', reading.geo)
	if (reading.rawUsage) set('signalbox.usage', JSON.stringify(reading.rawUsage).slice(0, 8192))
	const oneHour = reading.usage?.lines.find(({ dimension }) => dimension === 'cache_write_1h')
	if (oneHour) attributes.set('signalbox.cache_write_1h_tokens', oneHour.quantity)
	if (reading.usage?.inconsistent) attributes.set('signalbox.inconsistent_usage', true)
}
