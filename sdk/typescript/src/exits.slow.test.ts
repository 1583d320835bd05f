import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Stats } from './options.ts'
import { type Collector, startCollector } from './testing/collector.ts'

const program = fileURLToPath(new URL('testing/exiting.mjs', import.meta.url))
/** The handshake and twenty calls, which are sent before the end, and three that are not. */
const [early, late] = [21, 3]

let collector: Collector
beforeAll(async () => {
	collector = await startCollector()
})
beforeEach(() => {
	collector.spans.length = 0
	collector.answer = null
})
afterAll(() => collector.close())

async function runTo(way: string) {
	const child = spawn(process.execPath, [program, collector.url, way], { stdio: ['ignore', 'pipe', 'pipe'] })
	const deadline = setTimeout(() => child.kill('SIGKILL'), 40_000)
	const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
	const [stdout, stderr, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), ended])
	clearTimeout(deadline)
	return { stats: stdout === '' ? null : (JSON.parse(stdout) as Stats), stderr, code, signal }
}

it('a normal exit loses nothing', async () => {
	const { stats, code, stderr } = await runTo('returns')
	expect(stats).toEqual({ ended: early + late, sent: early + late, dropped: 0, refused: 0, waiting: 0 })
	expect([collector.spans.length, code, stderr]).toEqual([early + late, 0, ''])
})

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'])(
	'an exit by %s loses nothing and is still an exit by this signal',
	async (way) => {
		const { code, signal } = await runTo(way)
		expect([collector.spans.length, code, signal]).toEqual([early + late, null, way])
	},
)

it("an application's own listener for a signal is left to finish, also if it listens once", async () => {
	const { code, stderr } = await runTo('listens')
	expect([collector.spans.length, code, stderr]).toEqual([early + late, 7, ''])
})

it.each([
	['exit', 3],
	['throw', 1],
])('an exit by %s loses pending spans, which are counted', async (way, expected) => {
	const { stats, code, stderr } = await runTo(way)
	expect(stats).toEqual({ ended: early + late, sent: early, dropped: 0, refused: 0, waiting: late })
	expect([collector.spans.length, code]).toEqual([early, expected])
	expect(stderr.includes('nobody catches it')).toBe(way === 'throw')
})

it('a kill loses pending spans and no more', async () => {
	const { code, signal } = await runTo('SIGKILL')
	expect([collector.spans.length, code, signal]).toEqual([early, null, 'SIGKILL'])
})

it('an endpoint that hangs delays an exit by a second at most, and what is lost is counted', async () => {
	collector.answer = () => {}
	const startedMs = performance.now()
	const { stats, code } = await runTo('hangs')
	const hungMs = performance.now() - startedMs
	collector.answer = (response) => response.writeHead(401).end()
	const againMs = performance.now()
	await runTo('hangs')
	expect([stats?.ended, stats?.waiting, code]).toEqual([early + late, early + late, 0])
	expect(hungMs - (performance.now() - againMs)).toBeLessThan(2500)
})
