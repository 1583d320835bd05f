import { setTimeout as sleep } from 'node:timers/promises'
import type { TelemetryStore } from '../../../platform/clickhouse/store.ts'
import { type Clock, toIso } from '../../../platform/clock.ts'
import type { Jobs } from '../../../platform/jobs/job.ts'
import type { Log } from '../../../platform/log.ts'
import { rollups } from '../../../telemetry/index.ts'
import type { Arrivals } from '../joins/arrivals.ts'
import type { Joiner } from '../joins/join-arrived.ts'
import {
	countSpans,
	dropOldRolls,
	findDirtyHours,
	findReplaced,
	findSteps,
	findWideRolls,
	hasChangesElsewhere,
	nameStep,
	narrowRoll,
	rollHour,
	type Step,
	writeStep,
} from './rollup-repository.ts'

type StepStore = Pick<TelemetryStore, 'query' | 'command'>

/** Fewer spans are quickly read without a roll. */
const minSpans = 10_000
/** Longer than an insert takes; and a trace that continues this soon is rolled up once instead of twice. */
const quietMs = 3000
/**
 * While nobody reads figures, this many rows may arrive between two steps. The first reader then has them read from the spans, in some
 * tenths of a second.
 */
const unwatchedRows = 100_000
/** More rolls than these are merged into one. */
const maxRolls = 12

/**
 * Rolls up what arrived in hours that are still open, so that queries read only little more from the spans than what arrived since.
 * Stops early between two hours if `signal` is aborted. True when it replaced older rolls.
 */
export async function rollOpenHours(
	store: StepStore,
	signal: AbortSignal,
	after: { spans: number; quietMs: number } = { spans: minSpans, quietMs },
): Promise<boolean> {
	let replaced = false
	for (const step of await findSteps(store, after.spans, after.quietMs)) {
		if (signal.aborted) break
		replaced = (await takeStep(store, step)) || replaced
	}
	return replaced
}

async function takeStep(store: StepStore, found: Step): Promise<boolean> {
	const spans = await countSpans(store, found)
	// An insert that took longer has stored spans that no step saw.
	const isBehind = found.spansBefore !== null && found.spansBefore !== spans.before
	const step = isBehind ? { ...found, fromMs: 0, rolls: [] } : found
	const named = { cutMs: step.cutMs, spans: spans.until, lastMs: spans.lastMs }
	const arrived = spans.until - (isBehind ? 0 : spans.before)
	if (arrived === 0 && (spans.until === 0 || !(await hasChangesElsewhere(store, step)))) {
		await nameStep(store, step, { ...named, rolls: step.rolls })
		return isBehind
	}
	const touched = await findReplaced(store, step)
	const replaced = step.rolls.length - touched.length >= maxRolls ? step.rolls : touched
	await writeStep(store, step, replaced)
	const kept = step.rolls.filter((version) => !replaced.includes(version))
	await nameStep(store, step, { ...named, rolls: [...kept, step.version] })
	return isBehind || replaced.length > 0
}

type Store = Pick<TelemetryStore, 'query' | 'command' | 'insertRowBinary'>

const everyMs = 60_000
const idleEveryMs = 300_000
const stepEveryMs = 6000
/** Longer than an insert takes, and than a query that reads the previous version. */
const settleMs = 60_000
const hoursAtOnce = 100
/** How often new spans are joined while they arrive. Whether any have arrived is known without a query of the store, or is queried. */
const joinEveryMs = 1000
const lookEveryMs = 2000
/** One run of a job lasts this long, because each run costs a write into the control store. */
const runForMs = 60_000

interface RollupDependencies {
	joiner: Joiner
	arrivals: Arrivals
	clock: Clock
	log: Log
	/** Whether somebody reads figures, if that is known; absent: it is not. */
	isWatched?: (() => boolean) | undefined
	/** Whether other programs may use the telemetry store: one of them does this for all. */
	isShared?: boolean
	/** Interval between two steps. */
	stepMs?: number
}

/**
 * The jobs that join what arrives and keep the rollups up to date: in steps for hours in which much arrives, and completely for hours
 * in which nothing arrives any more.
 */
export function keepRollups(
	jobs: Jobs,
	store: Store,
	{
		joiner,
		arrivals,
		clock,
		log,
		isWatched = () => true,
		isShared = false,
		stepMs = stepEveryMs,
	}: RollupDependencies,
): void {
	const every: Jobs['everyHere'] = (...job) => (isShared ? jobs.every(...job) : jobs.everyHere(...job))
	const goOn = async (signal: AbortSignal, work: () => Promise<number>) => {
		const untilMs = performance.now() + runForMs
		while (!signal.aborted && performance.now() < untilMs)
			await sleep(await work(), null, { signal }).catch(() => null)
	}
	every('spotlight-joins', joinEveryMs, ({ signal }) =>
		goOn(signal, async () => {
			joiner.noteAlive()
			if (!(await arrivals.mayHaveArrived())) {
				await arrivals.next(signal)
				return 0
			}
			const { arrived } = await joiner.join()
			return arrived || arrivals.areCounted ? joinEveryMs : lookEveryMs
		}),
	)
	const begunMs = clock.nowMs()
	const roll: RollOptions = {
		// Views of older spans may never have been joined, if they are from an older version or a backup.
		tellChanged: ({ workspaceId, startMs }, calls) => {
			if (startMs > begunMs)
				log.error(
					{ workspaceId, hour: toIso(startMs), calls },
					'spotlight: calls of an hour were joined differently than on arrival; this has been corrected',
				)
		},
	}
	// A program that was interrupted may have left a roll that is not referenced.
	let mayHaveOld = true
	let mayHaveWide = true
	let wholeAtMs = Number.NEGATIVE_INFINITY
	let steppedMs = 0
	let steppedRows = 0
	const isEnough = () =>
		isWatched() || arrivals.stored === null || arrivals.stored - steppedRows >= unwatchedRows
	const rollUp = async (signal: AbortSignal) => {
		if (mayHaveWide) {
			mayHaveWide = await narrowOldRolls(store, signal)
			mayHaveOld = true
		}
		// What arrives marks its hour, which is due a minute later. So do erasures, which are not counted as arrivals.
		const wholeEveryMs = arrivals.isIdleFor(3 * everyMs) ? idleEveryMs : everyMs
		// By a clock that nobody sets, so that a change of the machine's does not delay rolls.
		const beginMs = performance.now()
		const isWholeDue = beginMs >= wholeAtMs + wholeEveryMs
		// The last step began after everything had settled, and has included it.
		if (!isWholeDue && (arrivals.isIdleFor(beginMs - steppedMs + quietMs) || !isEnough())) return
		const rows = arrivals.stored ?? 0
		// A step must not count what is not joined yet.
		await joiner.join()
		// Before any rolls are replaced, because queries may be about to read those.
		if (isWholeDue && mayHaveOld) await dropOldRolls(store)
		if (isWholeDue) mayHaveOld = await rollups.forgetFutureRolls(store)
		if (isEnough()) {
			mayHaveOld = (await rollOpenHours(store, signal)) || mayHaveOld
			steppedMs = beginMs
			steppedRows = rows
		}
		if (!isWholeDue) return
		wholeAtMs = performance.now()
		mayHaveOld = (await rollDirtyHours(store, signal, roll)) || mayHaveOld
	}
	every('spotlight-rollups', stepMs, ({ signal }) =>
		goOn(signal, async () => {
			await rollUp(signal)
			return stepMs
		}),
	)
}

/**
 * Makes narrow sums for some rolls that lack all or some of them, because they were made before these existed. False once no roll
 * lacks any.
 */
export async function narrowOldRolls(
	store: Pick<Store, 'query' | 'command'>,
	signal: AbortSignal,
): Promise<boolean> {
	const rolls = await findWideRolls(store, hoursAtOnce)
	for (const roll of rolls) {
		if (signal.aborted) return true
		await narrowRoll(store, roll)
	}
	return rolls.length === hoursAtOnce
}

interface RollOptions {
	afterMs?: number
	/** Called with the number of calls of an hour that were not joined correctly, which a roll has fixed. */
	tellChanged?: (hour: { workspaceId: string; startMs: number }, calls: number) => void
}

/** Rolls up all hours that are due; true when one replaced an older roll. Stops early between two hours if `signal` is aborted. */
export async function rollDirtyHours(
	store: Store,
	signal: AbortSignal,
	{ afterMs = settleMs, tellChanged }: RollOptions = {},
): Promise<boolean> {
	let replaced = false
	while (!signal.aborted) {
		const hours = await findDirtyHours(store, afterMs, hoursAtOnce)
		for (const hour of hours) {
			if (signal.aborted) return true
			const changed = await rollHour(store, hour)
			if (changed > 0) tellChanged?.(hour, changed)
			replaced ||= hour.rolledBefore
		}
		if (hours.length < hoursAtOnce) break
	}
	return replaced
}
