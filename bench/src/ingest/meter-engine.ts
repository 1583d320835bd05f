// Loaded into the engine's process (`--import`) by the ingest benchmark: writes the cost of its statements to the file named in
// `?to=`.
import { tracingChannel } from 'node:diagnostics_channel'
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** By kind of work: processor time in µs, and number of statements. */
export type EngineWork = Record<string, { us: number; count: number }>

/** Smaller amounts since the last reading are not significant. */
const minUs = 5000
const target = new URL(import.meta.url).searchParams.get('to')
const work = new Map<string, { us: number; count: number }>()
const running = new Map<object, string>()
let countedUs = 0
let mergedUs = 0
let mergers: string[] = []
/** Whether statements run in this process, because the program that starts the engine loads this file too. */
let isEngine = false

/** What was used since the last change is divided among the statements that ran; merges have threads of their own. */
function settle(): void {
	const { user, system } = process.cpuUsage()
	const merges = mergers.reduce((sum, thread) => sum + usedBy(thread), 0)
	const ofMerges = Math.max(0, merges - mergedUs)
	const rest = Math.max(0, user + system - countedUs - ofMerges)
	countedUs = user + system
	mergedUs = merges
	add('merges', ofMerges)
	const kinds = running.size === 0 ? ['between statements'] : [...running.values()]
	for (const kind of kinds) add(kind, rest / kinds.length)
}

function add(kind: string, us: number, count = 0): void {
	const sum = work.get(kind) ?? { us: 0, count: 0 }
	work.set(kind, { us: sum.us + us, count: sum.count + count })
}

function usedBy(thread: string): number {
	try {
		return Number(readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1000
	} catch {
		return 0
	}
}

function findMergers(): void {
	mergers = readdirSync('/proc/self/task').filter((thread) => {
		try {
			return readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').startsWith('Merge')
		} catch {
			return false
		}
	})
}

/** `INSERT spans`, or `SELECT spans, call_joins: ` followed by the beginning of the statement: the tables distinguish most reads. */
function kindOf(sql: string): string {
	const verb = /[A-Z]+/.exec(sql)?.[0] ?? ''
	const tables = [
		...new Set(Array.from(sql.matchAll(/\b(?:INTO|FROM|JOIN|TABLE)\s+(\w+)/g), ([, name]) => name)),
	]
	if (verb !== 'SELECT') return `${verb} ${tables[0] ?? ''}`
	return `${verb} ${tables.join(', ')}: ${sql.slice(6).trim().replaceAll(/\s+/g, ' ').slice(0, 60)}`
}

if (target) {
	const done = (statement: object) => {
		settle()
		add(running.get(statement) ?? '', 0, 1)
		running.delete(statement)
	}
	tracingChannel('signalbox.engine.statement').subscribe({
		start: (statement) => {
			isEngine = true
			settle()
			running.set(statement, kindOf((statement as { sql: string }).sql))
		},
		end: () => undefined,
		asyncStart: () => undefined,
		asyncEnd: done,
		error: () => undefined,
	})
	setInterval(() => {
		if (!isEngine) return
		const { user, system } = process.cpuUsage()
		// Otherwise this would be most of what an idle engine does.
		if (user + system - countedUs < minUs) return
		findMergers()
		settle()
		// Renamed into place, so that a reader never finds a partial file.
		writeFileSync(`${target}.new`, JSON.stringify(Object.fromEntries(work)))
		renameSync(`${target}.new`, target)
	}, 250).unref()
}
