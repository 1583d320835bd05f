import type { metricKinds } from '@signalbox/contract'
import type { ExponentialPoint, HistogramPoint, Metric, NumberPoint, SummaryPoint } from '../otlp/messages.ts'
import type { Rejected } from '../otlp/rejections.ts'

/** A point of any kind: a field that its kind does not have is absent. */
export type DataPoint = Pick<NumberPoint, 'timeUnixNano' | 'startTimeUnixNano' | 'attributes' | 'flags'> &
	Partial<Omit<NumberPoint, 'attributes'>> &
	Partial<Omit<HistogramPoint, 'attributes'>> &
	Partial<Omit<ExponentialPoint, 'attributes'>> &
	Partial<Omit<SummaryPoint, 'attributes' | 'sum'>>

export interface Points {
	kind: (typeof metricKinds)[number]
	temporality: number
	isMonotonic: boolean
	points: Iterable<DataPoint | Rejected>
}

/** The points of a metric with what they have in common; a metric that says no kind is an empty gauge. */
export function pointsOf({ gauge, sum, histogram, exponentialHistogram, summary }: Metric): Points {
	if (sum) return { ...pick('sum', sum), isMonotonic: sum.isMonotonic }
	if (histogram) return pick('histogram', histogram)
	if (exponentialHistogram) return pick('exponential_histogram', exponentialHistogram)
	if (summary) return pick('summary', summary)
	return pick('gauge', gauge ?? { dataPoints: [] })
}

function pick(
	kind: Points['kind'],
	data: { dataPoints: Points['points']; aggregationTemporality?: number },
): Points {
	return { kind, temporality: data.aggregationTemporality ?? 0, isMonotonic: false, points: data.dataPoints }
}
