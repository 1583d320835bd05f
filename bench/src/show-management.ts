import type { Measured } from './load.ts'
import type { StormRound } from './login-storm.ts'
import type { ManagementFigures, ReadFigures } from './management.ts'

/** Prints the figures of one store. */
export function showManagement({
	store,
	fillMs,
	empty,
	filled,
	reads,
	grantChanges,
}: ManagementFigures): void {
	const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
	console.log(
		`\nManagement on ${store}: 10,000 servers, 10,000 agents, 100,000 grants (written in ${seconds(fillMs)})`,
	)
	console.log(
		`  start until the first sign-in  ${seconds(filled.startMs)}, empty store ${seconds(empty.startMs)}; memory ${filled.memoryMb.toFixed(0)} MB, empty store ${empty.memoryMb.toFixed(0)} MB`,
	)
	for (const read of reads) console.log(readRow(read))
	const { changes, answerP50Ms, answerP99Ms, effectiveP50Ms, effectiveP99Ms, staleDecisions } = grantChanges
	console.log(
		`  change of a grant (${changes})        answered p50 ${answerP50Ms.toFixed(1)} ms p99 ${answerP99Ms.toFixed(1)} ms; in force for a tool call p50 ${effectiveP50Ms.toFixed(1)} ms p99 ${effectiveP99Ms.toFixed(1)} ms (with that call); ${staleDecisions} calls after the answer decided by the old grant (goal 0)`,
	)
}

function readRow({ name, bytes, callers, ours, bare }: ReadFigures): string {
	const ratio = (ours.perSecond / bare.perSecond).toFixed(3)
	return `  ${name.padEnd(42)} ${String(callers).padStart(2)} callers  ${figuresOf(ours)}   bare Fastify, same ${bytes} bytes: ${figuresOf(bare)}   ratio ${ratio}`
}

function figuresOf({ perSecond, p50Ms, p99Ms, errors }: Measured): string {
	const failed = errors === 0 ? '' : ` ${errors} ERRORS`
	return `${perSecond.toFixed(0).padStart(5)} req/s p50 ${p50Ms.toFixed(1)} p99 ${p99Ms.toFixed(1)} ms${failed}`
}

const goal = 1.5

/** Prints each round, and the round with the median ratio of the p99. */
export function showStorm(rounds: StormRound[]): void {
	console.log('\nLogin storm: tools/call at 200 req/s, without and with 100 people who sign in in parallel')
	for (const { calm, storm, signedIn, refused, loginP50Ms, loginP99Ms, stallMs } of rounds)
		console.log(
			`  without ${callsOf(calm)}   with ${callsOf(storm)}   p99 × ${(storm.p99Ms / calm.p99Ms).toFixed(2)}   ${signedIn} signed in (p50 ${loginP50Ms.toFixed(0)}, p99 ${loginP99Ms.toFixed(0)} ms), ${refused} asked to come back; longest stall ${stallMs.toFixed(0)} ms`,
		)
	const ratios = rounds.map(({ calm, storm }) => storm.p99Ms / calm.p99Ms).sort((a, b) => a - b)
	const median = ratios[Math.floor(ratios.length / 2)] as number
	const outcome = median <= goal ? 'met' : 'missed'
	console.log(`  median of the rounds: p99 × ${median.toFixed(2)} (goal ≤ ${goal}: ${outcome})`)
}

function callsOf({ p50Ms, p99Ms, errors }: Measured): string {
	return `p50 ${p50Ms.toFixed(2)} p99 ${p99Ms.toFixed(2)} ms${errors === 0 ? '' : ` ${errors} ERRORS`}`
}
