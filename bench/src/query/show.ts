import type { QueryReport } from './measure.ts'

export function showQueries({ filled, rollMs, figures }: QueryReport): void {
	const seconds = (ms: number) => (ms / 1000).toFixed(0)
	console.log(
		`\nQueries on ${(filled.rows / 1e6).toFixed(1)} M spans of 7 days (written in ${seconds(filled.fillMs)} s, rolled up in ${seconds(rollMs)} s), one at a time`,
	)
	for (const { name, runs, p50Ms, p95Ms, firstMs, refused } of figures)
		console.log(
			`  ${name.padEnd(24)} ${refused ?? `p50 ${p50Ms.toFixed(0)} ms  p95 ${p95Ms.toFixed(0)} ms  first ${firstMs.toFixed(0)} ms  (${runs} runs)`}`,
		)
}
