import type { TelemetryStore } from '../../../platform/clickhouse/index.ts'
import {
	countSpans,
	findReplaced,
	findSteps,
	hasNews,
	nameStep,
	type Step,
	writeStep,
} from './open-hours-repository.ts'

type Store = Pick<TelemetryStore, 'query' | 'command'>

/** Fewer are read from the spans in no time. */
const leastSpans = 10_000
/** Longer than an insert takes; and a trace of which more came so soon after is taken in once instead of twice. */
const quietMs = 3000
/** More rolls than these become one. */
const mostRolls = 12

/**
 * Rolls up what arrived in hours that are still open, so that questions read little more from the spans than what came since.
 * Ends early with `signal`, between two hours. True when it replaced older rolls.
 */
export async function rollOpenHours(
	store: Store,
	signal: AbortSignal,
	after: { spans: number; quietMs: number } = { spans: leastSpans, quietMs },
): Promise<boolean> {
	let replaced = false
	for (const step of await findSteps(store, after.spans, after.quietMs)) {
		if (signal.aborted) break
		replaced = (await takeStep(store, step)) || replaced
	}
	return replaced
}

async function takeStep(store: Store, found: Step): Promise<boolean> {
	const spans = await countSpans(store, found)
	// An insert that took longer has brought spans that no step saw.
	const isBehind = found.spansBefore !== null && found.spansBefore !== spans.before
	const step = isBehind ? { ...found, fromMs: 0, rolls: [] } : found
	const named = { cutMs: step.cutMs, spans: spans.until, lastMs: spans.lastMs }
	if (!(await hasNews(store, step))) {
		await nameStep(store, step, { ...named, rolls: step.rolls })
		return isBehind
	}
	const touched = await findReplaced(store, step)
	const replaced = step.rolls.length - touched.length >= mostRolls ? step.rolls : touched
	await writeStep(store, step, replaced)
	const kept = step.rolls.filter((version) => !replaced.includes(version))
	await nameStep(store, step, { ...named, rolls: [...kept, step.version] })
	return isBehind || replaced.length > 0
}
