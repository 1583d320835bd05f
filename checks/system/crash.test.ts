import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
	newDataDir,
	type Program,
	removeDataDir,
	startProgram,
} from '../../server/src/program/program.testing.ts'
import { openCrashStage } from './crash-stage.ts'
import { compare } from './stored.ts'
import { type Ledger, startWriters, type WriterTargets } from './writers.ts'

const kills = Number(process.env.KILLS ?? (process.env.LONG_TESTS ? 60 : 2))
/** One start and kill takes up to a few seconds on a busy machine. */
const maxMs = Math.max(1_800_000, kills * 20_000)
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Waits until each ledger has at least one more acknowledged record. Fails after 30 s. */
async function waitForAcknowledgements(ledgers: readonly Ledger[]): Promise<void> {
	const before = ledgers.map(({ acknowledged }) => acknowledged.size)
	for (const deadline = performance.now() + 30_000; performance.now() < deadline; await pause(10))
		if (ledgers.every(({ acknowledged }, at) => acknowledged.size > (before[at] as number))) return
	throw new Error('Not every endpoint acknowledged a record within 30 s')
}

describe(`no acknowledged record is lost over ${kills} kill -9 of the program and ${kills} of its engine`, () => {
	const dataDir = newDataDir()
	let program: Program
	let stage: Awaited<ReturnType<typeof openCrashStage>>
	let targets: WriterTargets

	beforeAll(async () => {
		stage = await openCrashStage()
		program = await startProgram(dataDir)
		targets = { url: () => program.url, ...(await stage.setUp(program)) }
	})
	afterAll(async () => {
		await program?.kill('SIGTERM')
		await stage?.close()
		removeDataDir(dataDir)
	})

	it(
		'kills the program at random moments',
		async () => {
			const writers = startWriters(targets, stage.ledgers)
			try {
				for (let count = 0; count < kills; count += 1) {
					// On a slow machine the kill may come before any acknowledgement, so every second round waits for one.
					if (count % 2 === 0) await waitForAcknowledgements(Object.values(stage.ledgers))
					await pause(Math.random() * 600)
					await program.kill('SIGKILL')
					program = await startProgram(dataDir)
				}
			} finally {
				await writers.stop()
			}
			for (const ledger of Object.values(stage.ledgers))
				expect(ledger.acknowledged.size).toBeGreaterThanOrEqual(kills / 2)
		},
		maxMs,
	)

	it(
		'kills the ClickHouse child at random moments',
		async () => {
			const writers = startWriters(targets, stage.ledgers)
			const pidsSeen = new Set<number>()
			while (pidsSeen.size < kills) {
				await pause(Math.random() * 300)
				for (const pid of program.children().filter((child) => !pidsSeen.has(child))) {
					pidsSeen.add(pid)
					process.kill(pid, 'SIGKILL')
				}
			}
			await writers.stop()
		},
		maxMs,
	)

	it.each([
		['otlp', 'otlp'],
		['gateway', 'gateway'],
		['models', 'model_proxy'],
	] as const)(
		'stored everything acknowledged over %s exactly once, and nothing that was never sent',
		async (endpoint, source) => {
			const ledger = stage.ledgers[endpoint]
			const result = await compare(program, source, ledger)
			console.log(
				`${endpoint}: ${ledger.acknowledged.size} acknowledged of ${ledger.sent.size} sent, lost ${result.lost.length}, doubled ${result.doubled.length}`,
			)
			expect(result).toEqual({ lost: [], doubled: [], unknown: [] })
		},
	)
})
