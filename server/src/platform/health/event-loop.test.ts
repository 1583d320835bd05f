import { expect, test } from 'vitest'
import { watchEventLoop } from './event-loop.ts'

function hold(ms: number): void {
	for (const until = performance.now() + ms; performance.now() < until; );
}
const turn = () => new Promise((resolve) => setTimeout(resolve, 40))

test('a stall is reported to each reader once, and shown for a while', async () => {
	const loop = watchEventLoop()
	loop.sinceLastReading()
	// An interval begins with the first check after a reading or after a change of the interval, up to 250 ms later. Such a change
	// comes every five seconds at most, so it cannot hide the stalls of two tries.
	for (let tries = 0; tries < 2 && loop.recentMs() < 250; tries++) {
		await new Promise((resolve) => setTimeout(resolve, 600))
		// After five seconds without CPU time, the process checks only every 250 ms and misses that much of a stall.
		hold(600)
		await turn()
	}
	// Other load on the machine may make the stall longer, never shorter.
	expect(loop.recentMs()).toBeGreaterThan(250)
	expect(loop.sinceLastReading()).toBeGreaterThan(0.25)
	expect(loop.sinceLastReading()).toBeLessThan(0.25)
	expect(loop.recentMs()).toBeGreaterThan(250)
})

test('an idle loop is checked four times a second, and a long stall is still detected', async () => {
	const loop = watchEventLoop()
	const usage = () => process.resourceUsage().voluntaryContextSwitches
	const wakesIn = async (ms: number) => {
		const before = usage()
		await new Promise((resolve) => setTimeout(resolve, ms))
		return usage() - before
	}
	const atFirst = await wakesIn(1000)
	// On a busy machine it wakes less than a hundred times a second at first, too.
	const seldom = Math.max(atFirst - 50, atFirst / 2)
	for (const deadline = performance.now() + 30_000; (await wakesIn(1000)) > seldom; )
		if (performance.now() > deadline) throw new Error(`It wakes as often as at first: ${atFirst} a second`)
	loop.sinceLastReading()
	// The next interval begins with the first check after a reading.
	await wakesIn(600)
	hold(700)
	await turn()
	expect(loop.sinceLastReading()).toBeGreaterThan(0.25)
}, 60_000)
