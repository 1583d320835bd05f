import type { Measured } from '../load.ts'
import type { BySubject, ProxyFigures } from './measure.ts'
import type { MixFigures } from './mix.ts'
import type { StreamMemory } from './stream-memory.ts'

const ours = 'Signalbox'
const bare = 'bare pass-through'
const portkey = '@portkey-ai/gateway'

export function showProxy(figures: ProxyFigures): void {
	for (const name of figures.missing) console.log(`\n${name} is skipped: it is not on this machine`)
	showPlain(figures)
	showFirstToken(figures)
	showCeiling(figures.ceiling)
	showMix(figures.mix)
	showMemory(figures.memory)
}

function showPlain({ plain, ratePerSecond, oneFlushMs }: ProxyFigures): void {
	console.log(`\nchat completions of 4 KB, at ${ratePerSecond} req/s, everything on`)
	showRows(plain)
	const p50 = between(plain, bare, 'p50Ms')
	const p99 = between(plain, bare, 'p99Ms')
	console.log(`  one flush of this run: ${oneFlushMs.toFixed(2)} ms`)
	console.log(goal('added to bare, p50', p50, oneFlushMs + 0.2, 'ms'))
	console.log(goal('added to bare, p99', p99, oneFlushMs + 2.2, 'ms'))
}

function showFirstToken({ firstToken, streamsPerSecond }: ProxyFigures): void {
	console.log(`\nstreams, at ${streamsPerSecond} a second: time to the first token`)
	showRows(firstToken)
	console.log(goal('added to direct, p50', between(firstToken, 'direct', 'p50Ms'), 1, 'ms'))
}

function showCeiling(ceiling: BySubject): void {
	console.log('\nchat completions of 4 KB, ceiling on one core, 32 callers')
	for (const [name, { perSecond, p50Ms, errors }] of ceiling)
		console.log(
			`  ${name.padEnd(20)} ${perSecond.toFixed(0)} req/s, p50 ${p50Ms.toFixed(2)} ms${failed(errors)}`,
		)
	const perSecond = ceiling.get(ours)?.perSecond ?? Number.NaN
	console.log(goal('req/s on one core', -perSecond, -8000, ''))
	const other = ceiling.get(portkey)
	if (other) console.log(goal(`÷ ${portkey}`, -perSecond / other.perSecond, -10, ''))
}

function showMix({
	direct,
	bare: passed,
	ours: through,
	ratePerSecond,
	streams,
	stallsMs,
}: MixFigures): void {
	console.log(
		`\nsmall calls in the mix (70 % 4 KB, 25 % 300 KB, 5 % 2 MB), ${ratePerSecond} req/s, ${streams} streams open`,
	)
	showRows(
		new Map([
			['direct', direct],
			[bare, passed],
			[ours, through],
		]),
	)
	console.log(goal('added to direct, p99', through.p99Ms - direct.p99Ms, 5, 'ms'))
	console.log(goal('longest stall', Math.max(...stallsMs), 10, 'ms'))
}

function showMemory({ streams, openMb, slowReaders, slowGrownMb }: StreamMemory): void {
	console.log('\nmemory of streams')
	console.log(goal(`each of ${streams} open streams`, (openMb * 1024) / streams, 40, 'KB'))
	console.log(goal(`${slowReaders} readers that read nothing of a flood for 5 s`, slowGrownMb, 2, 'MB more'))
}

function showRows(measured: BySubject): void {
	for (const [name, { p50Ms, p99Ms, errors }] of measured)
		console.log(
			`  ${name.padEnd(20)} p50 ${p50Ms.toFixed(2)} ms  p99 ${p99Ms.toFixed(2)} ms${failed(errors)}`,
		)
}

function between(measured: BySubject, other: string, figure: 'p50Ms' | 'p99Ms'): number {
	const [a, b] = [measured.get(ours), measured.get(other)] as [Measured, Measured]
	return a[figure] - b[figure]
}

/** Figures of which more is better are passed as negative numbers. */
function goal(what: string, value: number, limit: number, unit: string): string {
	const sign = limit < 0 ? '≥' : '≤'
	const shown = (number: number) => Math.abs(number).toFixed(Math.abs(limit) >= 100 ? 0 : 2)
	const reached = value <= limit ? 'reached' : 'MISSED'
	return `  ${what}: ${value < 0 && limit > 0 ? '-' : ''}${shown(value)} ${unit} (goal ${sign} ${shown(limit)}: ${reached})`
}

function failed(errors: number): string {
	return errors === 0 ? '' : `  ${errors} ERRORS`
}
