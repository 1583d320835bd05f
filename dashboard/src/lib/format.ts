import { serverNowMs } from './clock.ts'
import { inTimeZone } from './time-zone.ts'

const integers = new Intl.NumberFormat('en-US')
const compactNumbers = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

export function formatCount(value: number): string {
	return integers.format(value)
}

/** `1 tool`, `12 tools`. */
export function formatCounted(count: number, noun: string, format = formatCount): string {
	return `${format(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** `12,345`, but `1.2M` from the value `from` on, where the exact figure would not fit. */
export function formatCompact(value: number, from = 100_000): string {
	return value < from ? formatCount(value) : compactNumbers.format(value)
}

/** A duration with three significant figures: `0.42 ms`, `38 ms`, `1.24 s`, `2 min 5 s`, `3 h 20 min`; `–` if unknown. */
export function formatMs(ms: number | null): string {
	if (ms === null) return '–'
	if (ms === 0) return '0 ms'
	if (ms < 0.005) return `${Number(ms.toPrecision(2))} ms`
	// The limits are where a figure is rounded up to the next one's form.
	if (ms < 9.995) return `${ms.toFixed(2)} ms`
	if (ms < 999.5) return `${Math.round(ms)} ms`
	if (ms < 9995) return `${(ms / 1000).toFixed(2)} s`
	if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
	const seconds = Math.round(ms / 1000)
	return seconds < 3600 ? inTwo(seconds, 'min', 's') : inTwo(Math.round(seconds / 60), 'h', 'min')
}

/** In two units with a ratio of sixty: `2 min 5 s`, and `5 min` if there is no remainder. */
function inTwo(count: number, large: string, small: string): string {
	const rest = count % 60
	return `${Math.floor(count / 60)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`
}

export function formatPercent(share: number | null): string {
	if (share === null) return '–'
	const percent = share * 100
	// What is not nothing, or not all, is not shown as that.
	if (percent > 0 && percent < 0.01) return '< 0.01 %'
	if (percent > 99 && percent < 100) return `${Math.min(percent, 99.99).toFixed(2)} %`
	return `${percent === 0 || percent >= 10 ? percent.toFixed(0) : percent.toFixed(percent < 1 ? 2 : 1)} %`
}

/** Nano-dollars as dollars: with cents, or as many digits as a small sum needs. */
export function formatNanoUsd(nano: string | null): string {
	if (nano === null) return '–'
	const dollars = Number(nano) / 1e9
	if (dollars === 0) return '$0.00'
	const digits = dollars >= 0.1 ? 2 : dollars >= 0.001 ? 4 : dollars >= 0.00001 ? 6 : 9
	const minimumFractionDigits = Math.min(digits, 6)
	return `$${dollars.toLocaleString('en-US', { minimumFractionDigits, maximumFractionDigits: digits })}`
}

/** A price in dollars with all of its digits. */
export function formatRate(nano: string | null): string {
	if (nano === null) return '–'
	const dollars = Number(nano) / 1e9
	return `$${dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 9 })}`
}

export function formatBytes(bytes: number): string {
	if (bytes < 1024) return `${bytes} B`
	const kibibytes = bytes / 1024
	if (kibibytes < 1024) return `${kibibytes.toFixed(1)} KiB`
	const mebibytes = kibibytes / 1024
	return mebibytes < 1024 ? `${mebibytes.toFixed(1)} MiB` : `${(mebibytes / 1024).toFixed(1)} GiB`
}

const clock = inTimeZone({
	hour: '2-digit',
	minute: '2-digit',
	second: '2-digit',
})
const dateAndTime = inTimeZone({
	day: 'numeric',
	month: 'short',
	year: 'numeric',
	hour: '2-digit',
	minute: '2-digit',
	second: '2-digit',
})

const date = inTimeZone({ dateStyle: 'medium' })

export function formatDate(iso: string): string {
	return date(new Date(iso))
}

export function formatClock(iso: string): string {
	return clock(new Date(iso))
}

const dayAndTime = inTimeZone({
	day: 'numeric',
	month: 'short',
	hour: '2-digit',
	minute: '2-digit',
})

/** Only the time, to the second, for today; with the date for any other day. */
export function formatMoment(iso: string, nowMs = serverNowMs()): string {
	const isToday = date(new Date(iso)) === date(nowMs)
	return isToday ? formatClock(iso) : dayAndTime(new Date(iso))
}

export function formatDateTime(iso: string): string {
	return dateAndTime(new Date(iso))
}

/** How long ago: `now`, `40 s ago`, `5 min ago`, `3 h ago`, `12 d ago`. */
export function formatAgo(iso: string, nowMs: number): string {
	const seconds = Math.round((nowMs - Date.parse(iso)) / 1000)
	if (seconds < 5) return 'now'
	if (seconds < 60) return `${seconds} s ago`
	if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
	if (seconds < 172_800) return `${Math.floor(seconds / 3600)} h ago`
	return `${Math.floor(seconds / 86_400)} d ago`
}

/** Time until then: `in 40 s`, `in 5 min`, `in 3 h`, `in 12 d`; `now` when it has passed. */
export function formatUntil(iso: string, nowMs: number): string {
	const seconds = Math.round((Date.parse(iso) - nowMs) / 1000)
	if (seconds < 1) return 'now'
	if (seconds < 60) return `in ${seconds} s`
	if (seconds < 3600) return `in ${Math.round(seconds / 60)} min`
	if (seconds < 172_800) return `in ${Math.round(seconds / 3600)} h`
	return `in ${Math.round(seconds / 86_400)} d`
}
