import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { childrenOf, type Program, startProgram } from '../../server/src/program/program.testing.ts'
import { openCrashStage } from './crash-stage.ts'
import { canMount, LoopDisk } from './loop-disk.ts'
import { compare } from './stored.ts'
import { startWriters, type WriterTargets } from './writers.ts'

const cuts = process.env.LONG_TESTS ? 20 : 1
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const endpoints = [
	['otlp', 'otlp'],
	['gateway', 'gateway'],
	['models', 'model_proxy'],
] as const
/** Makes every fsync and fdatasync return success at once without flushing anything. */
const flushingStubbedOut = ['strace', '-f', '--seccomp-bpf', '-qq', '-o', '/dev/null'].concat(
	'-e',
	'trace=fsync,fdatasync',
	'-e',
	'inject=fsync,fdatasync:retval=0',
)

describe.skipIf(!canMount)('a power cut that loses everything that was not flushed to disk', () => {
	let stage: Awaited<ReturnType<typeof openCrashStage>>
	let disk: LoopDisk
	let program: Program | undefined

	beforeAll(async () => {
		stage = await openCrashStage()
	})
	afterAll(() => stage?.close())
	beforeEach(() => {
		disk = new LoopDisk(768)
	})
	afterEach(() => {
		if (program) killTree(program.pid)
		disk.remove()
	})

	const start = async (options: { prefix?: readonly string[] } = {}): Promise<Program> => {
		program = await startProgram(join(disk.path, 'data'), {}, options)
		return program
	}

	/** Waits until every entry point has acknowledged this many further records. Fails after a minute, naming those that have not. */
	async function allAcknowledged(more: number): Promise<void> {
		const wanted = Object.entries(stage.ledgers).map(
			([endpoint, { acknowledged }]) => [endpoint, acknowledged, acknowledged.size + more] as const,
		)
		const behind = () => wanted.filter(([, ids, size]) => ids.size < size).map(([endpoint]) => endpoint)
		await expect.poll(behind, { timeout: 60_000, interval: 50 }).toEqual([])
	}

	/** Lets the writers work for a while, then kills the program and cuts the power of its disk. */
	async function liveAndCut(life: Program, targets: Omit<WriterTargets, 'url'>): Promise<void> {
		const writers = startWriters({ url: () => life.url, ...targets }, stage.ledgers)
		try {
			await allAcknowledged(5)
			await pause(Math.random() * 500)
			killTree(life.pid)
			await life.kill('SIGKILL')
			disk.cutPower()
		} finally {
			await writers.stop()
		}
	}

	it(`loses no acknowledged record and duplicates none, over ${cuts} cuts`, async () => {
		const first = await start()
		const targets = await stage.setUp(first)
		for (let cut = 0; cut < cuts; cut += 1) await liveAndCut(cut === 0 ? first : await start(), targets)
		const after = await start()
		for (const [endpoint, source] of endpoints) {
			const ledger = stage.ledgers[endpoint]
			const result = await compare(after, source, ledger)
			console.log(
				`${cuts} power cuts, ${endpoint}: ${ledger.acknowledged.size} acknowledged of ${ledger.sent.size} sent, lost ${result.lost.length}, doubled ${result.doubled.length}`,
			)
			expect(ledger.acknowledged.size).toBeGreaterThanOrEqual(cuts * 5)
			expect(result).toEqual({ lost: [], doubled: [], unknown: [] })
		}
	}, 1_800_000)

	it('loses acknowledged spans if flushing is stubbed out, so the test above can detect a loss', async () => {
		const targets = await stage.setUp(await start())
		await program?.kill('SIGTERM')
		for (const ledger of Object.values(stage.ledgers)) {
			ledger.sent.clear()
			ledger.acknowledged.clear()
		}
		await liveAndCut(await start({ prefix: flushingStubbedOut }), targets)
		const { lost } = await compare(await start(), 'otlp', stage.ledgers.otlp, 4)
		console.log(`flushing stubbed out: ${lost.length} of ${stage.ledgers.otlp.acknowledged.size} lost`)
		expect(lost.length).toBeGreaterThan(0)
	}, 300_000)
})

/** Kills a process and all its descendants. */
function killTree(pid: number): void {
	try {
		for (const child of childrenOf(pid)) killTree(child)
		process.kill(pid, 'SIGKILL')
	} catch {
		// The process has already ended.
	}
}
