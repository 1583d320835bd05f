import type { PeerFigures } from './measure.ts'

/** Ours come first. */
export function showPeers(all: PeerFigures[] | null): void {
	console.log('\ntools/call beside other gateways, 32 callers, protocol 2025-06-18, each on one core')
	if (all) showRows(all)
	else console.log('  skipped: the packages of bench/peers could not be installed (no registry?)')
}

function showRows(all: readonly PeerFigures[]): void {
	for (const { name, upstream, perSecond, p50Ms, p99Ms, cpuUs, errors } of all) {
		const figures = `${perSecond.toFixed(0).padStart(6)} calls/s  p50 ${p50Ms.toFixed(1)} ms  p99 ${p99Ms.toFixed(1)} ms`
		const cpu = `${cpuUs.toFixed(0)} µs of processor a call, far end included`
		console.log(
			`  ${name.padEnd(31)}${upstream.padEnd(6)}${figures}  ${cpu}${errors ? `  ${errors} ERRORS` : ''}`,
		)
	}
	for (const upstream of ['http', 'stdio'] as const)
		showRatio(
			upstream,
			all.filter((figures) => figures.upstream === upstream),
		)
}

/** As multiples of the best peer's rate. */
const goals: Readonly<Record<string, number>> = { http: 4, stdio: 3 }

/** Ours compared with the best peer that reaches the far end in the same way. */
function showRatio(upstream: string, [ours, ...others]: readonly PeerFigures[]): void {
	const best = others.sort((a, b) => b.perSecond - a.perSecond)[0]
	if (!ours || !best) return
	const ratio = (ours.perSecond / best.perSecond).toFixed(1)
	console.log(
		`  over ${upstream}: Signalbox, with keys, grants and record, ÷ the best of the others (${best.name}): ${ratio} (goal ≥ ${goals[upstream]})`,
	)
}
