import { expect, test } from 'vitest'
import { watchEventLoop } from './event-loop.ts'

function hold(ms: number): void {
	for (const until = performance.now() + ms; performance.now() < until; );
}
const turn = () => new Promise((resolve) => setTimeout(resolve, 40))

test('a stall is reported to each reader once, and shown for a while', async () => {
	const loop = watchEventLoop()
	loop.sinceLastReading()
	await turn()
	hold(300)
	await turn()
	// Others on the machine may hold it longer, never shorter.
	expect(loop.recentMs()).toBeGreaterThan(250)
	expect(loop.sinceLastReading()).toBeGreaterThan(0.25)
	expect(loop.sinceLastReading()).toBeLessThan(0.25)
	expect(loop.recentMs()).toBeGreaterThan(250)
})
