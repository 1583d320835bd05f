import type { ObserverFigures, SdkFigures } from './measure.ts'

export function showSdk(figures: readonly SdkFigures[]): void {
	for (const { language, bareP50Us, observers } of figures) {
		console.log(
			`\nAdded to a tool call by what observes it, ${language} (a call alone: p50 ${bareP50Us.toFixed(0)} µs)`,
		)
		for (const each of observers) console.log(row(each))
	}
	if (figures.length === 0) console.log('The packages to compare with cannot be installed here.')
}

function row({ name, addedP50Us, addedP99Us, addedCpuUs, bytesPerCall }: ObserverFigures): string {
	const goal = /^@?signalbox[-/]sdk$/.test(name) ? '  (goal p50 ≤ 20)' : ''
	const sent = bytesPerCall === 0 ? 'SENT NOTHING' : `${bytesPerCall.toFixed(0)} bytes`
	const added = `p50 ${addedP50Us.toFixed(1)} µs  p99 ${addedP99Us.toFixed(0)} µs  processor ${addedCpuUs.toFixed(0)} µs`
	return `  ${name.padEnd(40)} ${added}  ${sent}${goal}`
}
