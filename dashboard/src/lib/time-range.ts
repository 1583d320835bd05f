import { serverNowMs } from './clock.ts'
import { formatCounted } from './format.ts'
import { inTimeZone } from './time-zone.ts'

/** A range as in the URL: relative to now (`-24h`), or two fixed times. */
export interface TimeRange {
	start: string
	end?: string
}

export const presets = [
	{ start: '-15m', label: 'Last 15 minutes', short: '15 min' },
	{ start: '-1h', label: 'Last hour', short: '1 h' },
	{ start: '-6h', label: 'Last 6 hours', short: '6 h' },
	{ start: '-24h', label: 'Last 24 hours', short: '24 h' },
	{ start: '-7d', label: 'Last 7 days', short: '7 d' },
	{ start: '-30d', label: 'Last 30 days', short: '30 d' },
] as const

/** The range of a page whose address has none. */
export const defaultRange: TimeRange = { start: '-24h' }

/** For a demo, whose day ended when it was created: the whole hours from the beginning of that day until now. */
export function setDemoRange(endMs: number, nowMs: number): void {
	const hours = Math.ceil((nowMs - endMs - leewayMs) / 3_600_000)
	defaultRange.start = `-${24 + Math.max(0, hours)}h`
}

/** Its first session began this long after the beginning of the day. */
const leewayMs = 4 * 60_000

const unitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The range in a URL's search parameters; anything malformed becomes the default rather than an error. */
export function parseRange(search: Record<string, unknown>): TimeRange {
	const start = text(search.start)
	const end = text(search.end)
	if (start && relativeMs(start) !== null) return { start }
	const from = start ? Date.parse(start) : Number.NaN
	const to = end ? Date.parse(end) : Number.NaN
	if (!(from < to)) return defaultRange
	return { start: new Date(from).toISOString(), end: new Date(to).toISOString() }
}

export function isRelative(range: TimeRange): boolean {
	return range.end === undefined
}

/** How often a list is polled: only a range that ends now follows new rows, and only until somebody has loaded further pages. */
export function freshMs(range: TimeRange, pages = 1): number | false {
	return isRelative(range) && pages <= 1 ? 5_000 : false
}

/** The range of equal length that ends where this one starts, for comparison. */
export function previousRange(range: TimeRange): TimeRange {
	const length = relativeMs(range.start)
	if (length !== null) return { start: `-${(2 * length) / 60_000}m`, end: range.start }
	const from = Date.parse(range.start)
	const to = Date.parse(range.end ?? '')
	return { start: new Date(2 * from - to).toISOString(), end: range.start }
}

const unitNames: Readonly<Record<string, string>> = { m: 'minute', h: 'hour', d: 'day' }

/** A readable name of the range: `Last 24 hours`, or both times. */
export function describeRange(range: TimeRange): string {
	const preset = presets.find(({ start }) => start === range.start)
	if (preset) return preset.label
	if (!range.end)
		return `Last ${formatCounted(Number(range.start.slice(1, -1)), unitNames[range.start.slice(-1)] ?? '')}`
	return `${shortMoment(range.start)} – ${shortMoment(range.end)}`
}

/** Milliseconds of a relative start like `-24h`, or null. */
export function relativeMs(start: string): number | null {
	const [, amount, unit] = start.match(/^-(\d{1,6})([mhd])$/) ?? []
	if (!amount || !unit || Number(amount) === 0) return null
	return Number(amount) * (unitMs[unit] as number)
}

const shortTime = inTimeZone({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
const year = inTimeZone({ year: 'numeric' })

/** With the year, unless it is the present one. */
function shortMoment(iso: string): string {
	const [at, short] = [new Date(iso), shortTime(new Date(iso))]
	return year(at) === year(serverNowMs()) ? short : `${short.replace(',', ` ${year(at)},`)}`
}

function text(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined
}

/**
 * What the time axis of a chart shows: the range, and every bucket in whole, by its middle. The limits that uPlot proposes are not used: for a single
 * value, they are 1,000 days apart.
 */
export function axisRange(
	timesS: ArrayLike<number>,
	{ startS, endS, halfS }: { startS: number; endS: number; halfS: number },
): [fromS: number, toS: number] {
	const [first = startS + halfS, last = endS - halfS] = [timesS[0], timesS[timesS.length - 1]]
	return [Math.min(startS, first - halfS), Math.max(endS, last + halfS)]
}
