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

/** The offset of a time zone from UTC at a given time. */
function offsetMs(ms: number, zone: string): number {
	const parts = new Intl.DateTimeFormat('en-GB', {
		...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
		...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
	} as const).formatToParts(new Date(ms))
	const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
	const shown = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
	return shown - Math.floor(ms / 1000) * 1000
}

/** A time in the format of a date and time field, in the chosen time zone. */
export function toLocalField(ms: number, zone = timeZone): string {
	return new Date(ms + offsetMs(ms, zone)).toISOString().slice(0, 16)
}

/** The time in a date and time field; NaN for an empty one. */
export function fromLocalField(text: string, zone = timeZone): number {
	const asUtc = Date.parse(`${text}Z`)
	if (Number.isNaN(asUtc)) return Number.NaN
	// Repeated with the offset at that time, because the clocks may have changed in between.
	const near = asUtc - offsetMs(asUtc, zone)
	return asUtc - offsetMs(near, zone)
}
