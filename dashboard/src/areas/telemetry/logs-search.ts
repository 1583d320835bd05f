import { pickText } from '../../lib/pick-text.ts'
import { defaultRange, parseRange, type TimeRange } from '../../lib/time-range.ts'
import { parseAttributes } from './attribute-search.ts'

/** The lowest number of each severity, as in OpenTelemetry. */
export const severities = [
	[1, 'TRACE'],
	[5, 'DEBUG'],
	[9, 'INFO'],
	[13, 'WARN'],
	[17, 'ERROR'],
	[21, 'FATAL'],
] as const

const textConditions = ['service', 'text', 'event_name', 'trace_id'] as const

/** The filters of the list, as in the URL. */
export interface LogsSearch
	extends Partial<TimeRange>,
		Partial<Record<(typeof textConditions)[number], string>> {
	severity_min?: number
	attribute?: string[]
	/** New records are not polled. */
	paused?: true
}

export function parseLogsSearch(search: Record<string, unknown>): LogsSearch {
	const severity = severities.find(([number]) => number === Number(search.severity_min))?.[0]
	const range = parseRange(search)
	return {
		...(range.start !== defaultRange.start && range),
		...(severity && { severity_min: severity }),
		...pickText(search, textConditions),
		...parseAttributes(search.attribute),
		...(search.paused ? { paused: true as const } : {}),
	}
}

/** The name of a severity number. */
export function severityName(number: number): string {
	return severities.findLast(([from]) => number >= from)?.[1] ?? '–'
}
