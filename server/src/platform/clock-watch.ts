import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type Clock, systemClock, toIso } from './clock.ts'

/** Both clocks at one moment. */
export interface ClockReading {
	/** The machine's wall clock; ms since 1970. */
	wallMs: number
	/** A monotonic clock; ms. */
	steadyMs: number
	/** Id of the boot from which `steadyMs` counts; null: it cannot be compared with that of another process. */
	boot: string | null
	/** Whether `steadyMs` also advances while the machine is suspended. */
	countsSleep: boolean
}

interface Doubt {
	/** `steadyMs` when the doubt began. */
	sinceMs: number
	/** How far the wall clock was ahead then. */
	aheadMs: number
	/** Whether a person must confirm that the clock is right. */
	needsPerson: boolean
	/** Whether a person has. */
	confirmed: boolean
}

/** The state that survives a restart. */
interface Kept {
	/** The wall clock when it was last trusted, and `steadyMs` of that moment. */
	trustedMs: number
	steadyMs: number
	boot: string | null
	doubt: Doubt | null
}

export interface ClockState {
	doubted: boolean
	/** Whether a person must confirm the clock. */
	needsPerson: boolean
	confirmed: boolean
	aheadMs: number
	trustedMs: number
	/** When deletion resumes by itself, or would if the clock were confirmed now; null: the clock is not doubted. */
	resumesMs: number | null
}

export interface ClockWatchOptions {
	/** The file of the persisted state. */
	file: string
	/** Workers only read the decisions of the primary. */
	readOnly?: boolean
	/** The newest time in the stores, for a start without a file; null: nothing is stored yet. */
	newestRowMs: number | null
	read?: () => ClockReading
	/** Called on each change, with a sentence for the log. */
	onChange(state: ClockState, text: string): void
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** Ordinary corrections of a clock stay below this. */
const toleranceMs = 5 * minuteMs
/** For this long after a jump, however small, nothing is deleted by the new time. */
const patienceMs = hourMs
/** A jump beyond this needs a person's confirmation: a running program knows how much time has passed, ... */
const knownLimitMs = dayMs
/** ... but not how long a machine was off, or suspended where that cannot be measured. */
const unknownLimitMs = 3 * dayMs

/**
 * Compares the machine's wall clock with a monotonic clock, with the last run and with the newest rows. While the wall clock is
 * implausibly far ahead, `deletionMs` continues from the time that was last trusted. The wall clock is trusted again when it comes
 * back, an hour after a small jump, and after a large jump once a person has confirmed it, but not within the first hour.
 */
export class ClockWatch implements Clock {
	readonly #options: ClockWatchOptions
	readonly #read: () => ClockReading
	#kept: Kept
	#behindSinceMs: number | null = null
	#limitMs: number

	constructor(options: ClockWatchOptions) {
		this.#options = options
		this.#read = options.read ?? readClocks
		const now = this.#read()
		this.#limitMs = now.countsSleep ? knownLimitMs : unknownLimitMs
		this.#kept = this.#start(now)
		this.check()
	}

	readonly nowMs = systemClock.nowMs

	readonly deletionMs = (): number => {
		const now = this.check()
		return this.#kept.doubt ? Math.min(now.wallMs, this.#expectedMs(now)) : now.wallMs
	}

	/** Compares the clocks. Call it about once a minute, and before each use. */
	check(): ClockReading {
		const now = this.#read()
		if (this.#options.readOnly) this.#kept = readKept(this.#options.file) ?? this.#kept
		const aheadMs = now.wallMs - this.#expectedMs(now)
		const { doubt } = this.#kept
		if (doubt) this.#reconsider(now, doubt, aheadMs)
		else if (aheadMs > toleranceMs) this.#beginDoubt(now, aheadMs)
		else if (aheadMs < -toleranceMs) this.#standBehind(now)
		else this.#believe(now)
		return now
	}

	get state(): ClockState {
		const now = this.check()
		const { doubt } = this.#kept
		const restMs = doubt ? Math.max(0, doubt.sinceMs + patienceMs - now.steadyMs) : 0
		return {
			doubted: doubt !== null,
			needsPerson: doubt?.needsPerson ?? false,
			confirmed: doubt?.confirmed ?? false,
			aheadMs: doubt ? now.wallMs - this.#expectedMs(now) : 0,
			trustedMs: this.#expectedMs(now),
			resumesMs: doubt ? now.wallMs + restMs : null,
		}
	}

	/** Records that a person confirms the clock. Returns whether it was doubted. */
	confirm(): boolean {
		this.check()
		const { doubt } = this.#kept
		if (!doubt) return false
		this.#set({ ...this.#kept, doubt: { ...doubt, confirmed: true } })
		this.check()
		return true
	}

	/** Persists the trusted time for the next start. */
	save(): void {
		if (this.#options.readOnly) return
		try {
			writeFileSync(`${this.#options.file}.new`, JSON.stringify(this.#kept), { mode: 0o600 })
			renameSync(`${this.#options.file}.new`, this.#options.file)
		} catch {
			// A full disk is reported elsewhere; the next minute tries again.
		}
	}

	#start(now: ClockReading): Kept {
		const known = readKept(this.#options.file)
		if (known && known.boot !== null && known.boot === now.boot && known.steadyMs <= now.steadyMs)
			return known
		const trustedMs = known?.trustedMs ?? this.#options.newestRowMs
		if (trustedMs === null)
			return { trustedMs: now.wallMs, steadyMs: now.steadyMs, boot: now.boot, doubt: null }
		// The time in between is unknown: the machine was off, or this is another machine.
		const unknown = { trustedMs, steadyMs: now.steadyMs, boot: now.boot }
		const aheadMs = now.wallMs - trustedMs
		if (aheadMs <= toleranceMs) return { ...unknown, doubt: null }
		const needsPerson = aheadMs > unknownLimitMs
		const doubt = { sinceMs: now.steadyMs, aheadMs, needsPerson, confirmed: known?.doubt?.confirmed ?? false }
		const kept = { ...unknown, doubt }
		this.#kept = kept
		this.#tell(doubt)
		return kept
	}

	#expectedMs(now: ClockReading): number {
		return this.#kept.trustedMs + now.steadyMs - this.#kept.steadyMs
	}

	#believe(now: ClockReading): void {
		this.#behindSinceMs = null
		this.#kept = { trustedMs: now.wallMs, steadyMs: now.steadyMs, boot: now.boot, doubt: null }
	}

	#beginDoubt(now: ClockReading, aheadMs: number): void {
		const needsPerson = aheadMs > this.#limitMs
		const doubt = { sinceMs: now.steadyMs, aheadMs, needsPerson, confirmed: false }
		this.#set({ ...this.#kept, doubt })
		this.#tell(doubt)
	}

	#reconsider(now: ClockReading, doubt: Doubt, aheadMs: number): void {
		const isSteady = now.steadyMs - doubt.sinceMs >= patienceMs
		if (aheadMs <= toleranceMs)
			this.#endDoubt(now, 'the clock is as it was before it jumped; deleting by time goes on')
		// It jumped again: a confirmation of the earlier time does not apply.
		else if (Math.abs(aheadMs - doubt.aheadMs) > toleranceMs) this.#beginDoubt(now, aheadMs)
		else if (isSteady && (doubt.confirmed || !doubt.needsPerson))
			this.#endDoubt(now, 'the clock is believed; deleting by time goes on')
	}

	#endDoubt(now: ClockReading, text: string): void {
		this.#believe(now)
		this.save()
		this.#options.onChange(this.state, text)
	}

	/** A clock that is behind deletes nothing too early, so it is simply trusted after a while. */
	#standBehind(now: ClockReading): void {
		this.#behindSinceMs ??= now.steadyMs
		if (now.steadyMs - this.#behindSinceMs >= patienceMs) this.#believe(now)
	}

	#set(kept: Kept): void {
		this.#kept = kept
		this.save()
	}

	#tell({ aheadMs, needsPerson }: Doubt): void {
		const text = needsPerson
			? `the clock is ${describe(aheadMs)} ahead of what can be: nothing is deleted by time until an operator confirms it (POST /v1/instance/clock/confirm, or signalbox api POST /v1/instance/clock/confirm) or it is set right`
			: `the clock jumped ${describe(aheadMs)} ahead: nothing is deleted by its time for an hour`
		const trustedMs = this.#kept.trustedMs
		const state = { doubted: true, needsPerson, confirmed: false, aheadMs, trustedMs }
		this.#options.onChange({ ...state, resumesMs: trustedMs + aheadMs + patienceMs }, text)
	}
}

function describe(ms: number): string {
	if (ms >= 2 * dayMs) return `${Math.round(ms / dayMs)} days`
	return ms >= 2 * hourMs ? `${Math.round(ms / hourMs)} hours` : `${Math.round(ms / minuteMs)} minutes`
}

function readKept(file: string): Kept | null {
	try {
		const kept = JSON.parse(readFileSync(file, 'utf8')) as Kept
		return Number.isFinite(kept.trustedMs) && Number.isFinite(kept.steadyMs) ? kept : null
	} catch {
		return null
	}
}

/** Linux reports the uptime including suspension, and a boot id. Elsewhere Node's own monotonic clock is used. */
export function readClocks(): ClockReading {
	const wallMs = Date.now()
	try {
		const steadyMs = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 1000
		const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
		if (Number.isFinite(steadyMs)) return { wallMs, steadyMs, boot, countsSleep: true }
	} catch {
		// Not Linux.
	}
	return { wallMs, steadyMs: Number(process.hrtime.bigint() / 1_000_000n), boot: null, countsSleep: false }
}

/** A description for people; null while the clock is trusted. */
export function describeClock({
	doubted,
	needsPerson,
	confirmed,
	aheadMs,
	resumesMs,
}: ClockState): string | null {
	if (!doubted) return null
	const until = resumesMs === null ? '' : ` until ${toIso(resumesMs)} by this clock`
	return needsPerson && !confirmed
		? `is ${describe(aheadMs)} ahead of what can be: nothing is deleted by time until an operator confirms it`
		: `jumped ${describe(aheadMs)} ahead: nothing is deleted by its time${until}`
}
