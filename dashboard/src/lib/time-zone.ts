/** The browser's time zone; a minimal Linux may have none. */
export const browserTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

/** The time zone of every time in the dashboard: the one that the person chose, otherwise the browser's. */
export let timeZone = zoneOf(null)

/** Applies the person's setting before anything is rendered; null for the browser's time zone. */
export function showTimesIn(zone: string | null): void {
	timeZone = zoneOf(zone)
}

/** The browser's time zone in place of one that it does not know. */
function zoneOf(zone: string | null): string {
	try {
		return new Intl.DateTimeFormat('en-GB', { timeZone: zone ?? browserTimeZone }).resolvedOptions().timeZone
	} catch {
		return browserTimeZone
	}
}

/** Whether a zone is the one of every time in the dashboard, also by another name: Asia/Calcutta is Asia/Kolkata. */
export function isTimeZone(zone: string): boolean {
	return zoneOf(zone) === timeZone
}

/** Formats times in the person's time zone, which is known only after this module was loaded. */
export function inTimeZone(options: Intl.DateTimeFormatOptions): (at: number | Date) => string {
	let made: { zone: string; format: Intl.DateTimeFormat } | undefined
	return (at) => {
		if (made?.zone !== timeZone)
			made = { zone: timeZone, format: new Intl.DateTimeFormat('en-GB', { ...options, timeZone }) }
		return made.format.format(at)
	}
}

/** The current offset: `UTC+2`. */
export function offsetName(zone: string): string {
	const parts = new Intl.DateTimeFormat('en-GB', {
		timeZone: zone,
		timeZoneName: 'shortOffset',
	}).formatToParts(new Date())
	return (parts.find(({ type }) => type === 'timeZoneName')?.value ?? '').replace('GMT', 'UTC')
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** Kept, because making one takes longer than everything that is done with it. */
function clockOf(zone: string): Intl.DateTimeFormat {
	const known = clocks.get(zone)
	if (known) return known
	const made = new Intl.DateTimeFormat('en-GB', {
		...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
		...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
	} as const)
	clocks.set(zone, made)
	return made
}

/** The offset of a time zone from UTC at a given time. */
function offsetMs(ms: number, zone: string): number {
	const parts = clockOf(zone).formatToParts(new Date(ms))
	const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
	const shown = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
	return shown - Math.floor(ms / 1000) * 1000
}

/** A time in the format of a date and time field, in the chosen time zone. */
export function toLocalField(ms: number, zone = timeZone): string {
	return new Date(ms + offsetMs(ms, zone)).toISOString().slice(0, 16)
}

/** The time in a date and time field; NaN for an empty one. A time that the clocks skip is the first one after it. */
export function fromLocalField(text: string, zone = timeZone): number {
	return toInstant(Date.parse(`${text}Z`), zone)
}

/** The instant at which clocks show a time, which is given as if it were in UTC. */
function toInstant(localMs: number, zone: string): number {
	if (Number.isNaN(localMs)) return Number.NaN
	// Repeated with the offset at that time, because the clocks may have changed in between.
	const near = localMs - offsetMs(localMs, zone)
	const found = localMs - offsetMs(near, zone)
	return found + Math.max(0, localMs - found - offsetMs(found, zone))
}

const dayMs = 86_400_000
const monthMs = 30 * dayMs

/** The marks of a time axis: whole multiples of the step by the clocks of the zone, on both sides of a daylight saving change. */
export function timeTicks(fromMs: number, toMs: number, stepMs: number, zone = timeZone): number[] {
	const isMonths = stepMs >= monthMs
	const months = Math.round(stepMs / monthMs)
	const local = new Date(fromMs + offsetMs(fromMs, zone))
	const firstMonth = Math.floor((local.getUTCFullYear() * 12 + local.getUTCMonth()) / months) * months
	const first = Math.floor(local.getTime() / stepMs) * stepMs
	const ticks = new Set<number>()
	for (let at = 0; ; at += 1) {
		const localMs = isMonths ? Date.UTC(2000, firstMonth - 24_000 + at * months) : first + at * stepMs
		const tick = toInstant(localMs, zone)
		if (tick > toMs) return [...ticks]
		if (tick >= fromMs) ticks.add(tick)
	}
}

/** Whether a day begins at this instant. */
export function isDayStart(ms: number, zone = timeZone): boolean {
	return toLocalField(ms, zone).slice(0, 10) !== toLocalField(ms - 1, zone).slice(0, 10)
}
