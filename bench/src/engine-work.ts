import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EngineWork } from './ingest/meter-engine.ts'

export type { EngineWork }

/** The flag that makes a program's engine write the cost of its statements to this file. */
export function meterFlag(file: string): string {
	return `--import=${new URL(`./ingest/meter-engine.ts?to=${file}`, import.meta.url)}`
}

/** Reads the meter's file once it has been written after this call. */
export async function readEngineWork(file: string): Promise<EngineWork> {
	await sleep(600)
	return JSON.parse(readFileSync(file, 'utf8')) as EngineWork
}

/** The work between two readings; `us` is divided by `per`. */
export function workSince(before: EngineWork, after: EngineWork, per: number): EngineWork {
	return Object.fromEntries(
		Object.entries(after).map(([kind, { us, count }]) => {
			const old = before[kind] ?? { us: 0, count: 0 }
			return [kind, { us: (us - old.us) / per, count: count - old.count }]
		}),
	)
}

/** A line for each kind of work: µs per unit; how often, and ms each. */
export function linesOfWork(work: EngineWork, per: number): string[] {
	return Object.entries(work)
		.sort(([, a], [, b]) => b.us - a.us)
		.filter(([, { us }]) => us >= 0.05)
		.map(([kind, { us, count }]) => {
			const eachMs = count ? ((us * per) / count / 1000).toFixed(1) : ''
			return `    ${us.toFixed(2).padStart(6)} ${String(count || '').padStart(5)} ${eachMs.padStart(7)}  ${kind}`
		})
}
