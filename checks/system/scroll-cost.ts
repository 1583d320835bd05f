import type { Page } from 'playwright-core'
import { expect } from 'vitest'

interface ScrollCost {
	/** Longest time between two frames, including delays by other programs on the machine. */
	longestFrameMs: number
	/** CPU time of the page's main thread per frame, which does not depend on other programs. */
	cpuMsPerFrame: number
}

const frames = 60
const stepPx = 400

/** Scrolls an element (`html` for the window) from its top, by one wheel step per frame, and measures the cost. */
async function scrollCost(page: Page, selector: string): Promise<ScrollCost> {
	const session = await page.context().newCDPSession(page)
	await session.send('Performance.enable', { timeDomain: 'threadTicks' })
	const workedS = async () => {
		const { metrics } = await session.send('Performance.getMetrics')
		return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
	}
	const before = await workedS()
	const longestFrameMs = await page.evaluate<number>(`new Promise((done) => {
		const place = document.querySelector(${JSON.stringify(selector)})
		place.scrollTop = 0
		let [at, last, longest] = [0, performance.now(), 0]
		const step = (now) => {
			longest = Math.max(longest, now - last)
			last = now
			place.scrollTop += ${stepPx}
			if (++at < ${frames}) requestAnimationFrame(step)
			else done(longest)
		}
		requestAnimationFrame(step)
	})`)
	const cpuMsPerFrame = ((await workedS()) - before) * (1000 / frames)
	await session.detach()
	return { longestFrameMs, cpuMsPerFrame }
}

/** The short form allows long frames, as other programs may delay them in a build. The long form retries until the machine is quiet. */
const maxMs = process.env.LONG_TESTS ? 100 : 1000
const tries = process.env.LONG_TESTS ? 40 : 5

/**
 * Expects that scrolling has no frame longer than `maxMs` in at least one try, since other programs can delay frames, but not in every try.
 * The limit on the CPU time of the page's main thread does not depend on other programs.
 */
export async function expectSmooth(page: Page, what: string, selector: string): Promise<void> {
	const costs: ScrollCost[] = []
	do costs.push(await scrollCost(page, selector))
	while (costs.length < tries && (costs.at(-1) as ScrollCost).longestFrameMs >= maxMs)
	const longest = costs.map(({ longestFrameMs }) => longestFrameMs.toFixed(0)).join(', ')
	const cpuMs = Math.min(...costs.map(({ cpuMsPerFrame }) => cpuMsPerFrame))
	console.log(`${what}: longest frame ${longest} ms, ${cpuMs.toFixed(1)} ms a frame`)
	expect(cpuMs).toBeLessThan(50)
	expect(Math.min(...costs.map(({ longestFrameMs }) => longestFrameMs))).toBeLessThan(maxMs)
}
