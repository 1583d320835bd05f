/** That of the browser; a bare Linux may name none. */
export const browserTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

/** In which every time of the dashboard is shown: the one that the person chose, else the browser's. */
export let timeZone = zoneOf(null)

/** Takes over what the server has of the person, before anything is drawn; null for the browser's own. */
export function showTimesIn(zone: string | null): void {
	timeZone = zoneOf(zone)
}

/** The browser's own zone in place of one that it does not know. */
function zoneOf(zone: string | null): string {
	try {
		return new Intl.DateTimeFormat('en-GB', { timeZone: zone ?? browserTimeZone }).resolvedOptions().timeZone
	} catch {
		return browserTimeZone
	}
}

/** Writes moments in the zone of the person, who is known only after this module was loaded. */
export function inTimeZone(options: Intl.DateTimeFormatOptions): (at: number | Date) => string {
	let made: { zone: string; format: Intl.DateTimeFormat } | undefined
	return (at) => {
		if (made?.zone !== timeZone)
			made = { zone: timeZone, format: new Intl.DateTimeFormat('en-GB', { ...options, timeZone }) }
		return made.format.format(at)
	}
}

/** `UTC+2`, now. */
export function offsetName(zone: string): string {
	const parts = new Intl.DateTimeFormat('en-GB', {
		timeZone: zone,
		timeZoneName: 'shortOffset',
	}).formatToParts(new Date())
	return (parts.find(({ type }) => type === 'timeZoneName')?.value ?? '').replace('GMT', 'UTC')
}

/** By how much the clocks of a zone are ahead of UTC at a moment. */
function offsetMs(ms: number, zone: string): number {
	const parts = new Intl.DateTimeFormat('en-GB', {
		...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit' },
		...{ hour: '2-digit', minute: '2-digit', second: '2-digit' },
	} as const).formatToParts(new Date(ms))
	const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
	const shown = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
	return shown - Math.floor(ms / 1000) * 1000
}

/** A moment as a field of date and time has it, in the chosen zone. */
export function toLocalField(ms: number, zone = timeZone): string {
	return new Date(ms + offsetMs(ms, zone)).toISOString().slice(0, 16)
}

/** The moment that a field of date and time means; NaN for an empty one. */
export function fromLocalField(text: string, zone = timeZone): number {
	const asUtc = Date.parse(`${text}Z`)
	if (Number.isNaN(asUtc)) return Number.NaN
	// Once more with the offset of that moment: the clocks may have been changed in between.
	const near = asUtc - offsetMs(asUtc, zone)
	return asUtc - offsetMs(near, zone)
}
