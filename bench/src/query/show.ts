import type { QueryReport } from './measure.ts'
import type { QueryFigures } from './queries.ts'

const restartGoalMs = 2000

export function showQueries(report: QueryReport): void {
	const { filled, rollMs, scanMs, idle, afterRestartMs, watched, loaded, arrived } = report
	const show = (figures: readonly QueryFigures[]) => {
		for (const one of figures) showFigures(one, scanMs)
	}
	const seconds = (ms: number) => (ms / 1000).toFixed(0)
	console.log(
		`\nQueries on ${(filled.rows / 1e6).toFixed(1)} M spans of 7 days (written in ${seconds(filled.fillMs)} s, rolled up in ${seconds(rollMs)} s), one at a time`,
	)
	console.log(
		`  the start of every span, read by the engine: ${scanMs.toFixed(0)} ms; × is what p95 is of it`,
	)
	show(idle)
	console.log(
		`  first query after a restart: ${afterRestartMs.toFixed(0)} ms (goal ≤ ${restartGoalMs}: ${outcome(afterRestartMs <= restartGoalMs)})`,
	)
	console.log('\nSpotlight watched by 8 viewers')
	show(watched)
	const rate = arrived.spans / arrived.seconds
	console.log(
		`\nThe same by 8 viewers while ${rate.toFixed(0)} spans/s arrive, for ${arrived.seconds.toFixed(0)} s`,
	)
	show(loaded)
}

function showFigures(
	{ name, runs, p50Ms, p95Ms, firstMs, refused, goalMs }: QueryFigures,
	scanMs: number,
): void {
	const figures = `p50 ${p50Ms.toFixed(0)} ms  p95 ${p95Ms.toFixed(0)} ms  × ${(p95Ms / scanMs).toFixed(1)}  first ${firstMs.toFixed(0)} ms  (${runs} runs; goal p95 ≤ ${goalMs}: ${outcome(p95Ms <= goalMs)})`
	console.log(`  ${name.padEnd(29)} ${refused ?? figures}`)
}

function outcome(isReached: boolean): string {
	return isReached ? 'reached' : 'missed'
}
