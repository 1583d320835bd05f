import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openPage } from './browser.ts'
import { showNext, waitUntilLoaded } from './screen-faults.ts'

interface Stage {
	browser: Browser
	url: string
	/** Signed in, in the demo. */
	page: Page
}

const navigation = readFileSync(new URL('../../dashboard/src/app/nav.ts', import.meta.url), 'utf8')
/** The lines of the side bar. */
const navItems = [
	...navigation.matchAll(/label: '([^']+)',[^{}]*?link: linkOptions\(\{ to: '([^']+)' \}\)/g),
].map(([, label = '', path = '']) => ({ label, path }))

/** Further screens with lists of their own, which no line of the side bar leads to. */
const tabs = [
	'/traces?view=calls&calls=all',
	'/connections?tab=routes',
	'/connections?tab=limits',
	'/connections?tab=hooks',
	'/keys?tab=tokens',
	...['selection', 'changes', 'arguments', 'loops', 'overlaps', 'unregistered', 'grants'].map(
		(insight) => `/tool-insights?insight=${insight}`,
	),
]

const mostScript = 200_000
const visits = process.env.LONG_TESTS ? 3 : 2
const maxWorkMs = 1000
/** Wall clock says as much of the other programs on the machine; the long form runs by itself. */
const maxMs = process.env.LONG_TESTS ? 1000 : 20_000

/** What holds for every screen of the demo. */
export function describeDemoScreens(staged: () => Stage): void {
	const open = async (path: string) => {
		const { page } = staged()
		await showNext(page, path)
		await page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor({ state: 'detached' })
		await page.getByRole('heading', { level: 1 }).first().waitFor()
		// Some of its questions read the messages of every call of a day.
		await waitUntilLoaded(page, 60_000)
	}

	describe('every screen of the demo', () => {
		test('shows something, and has one name in the side bar, as its title and in the search', async () => {
			const { page } = staged()
			const faults: string[] = []
			expect(navItems.length).toBeGreaterThan(35)
			for (const { label, path } of navItems) {
				await open(path)
				const title = await page.getByRole('heading', { level: 1 }).first().textContent()
				if (title !== label) faults.push(`${path}: ${label} in the side bar, ${title} as its title`)
				await expect.poll(() => page.title()).toBe(`${label} · Signalbox`)
				faults.push(...(await emptyParts(page)).map((text) => `${path} is empty: ${text}`))
			}
			for (const path of tabs) {
				await open(path)
				faults.push(...(await emptyParts(page)).map((text) => `${path} is empty: ${text}`))
			}
			expect(faults).toEqual([])
		})

		test('a page is found in the search by the name that it has in the side bar', async () => {
			const { page } = staged()
			await open('/')
			await page.keyboard.press('Control+k')
			const dialog = page.getByRole('dialog')
			for (const { label } of navItems) {
				await dialog.getByRole('combobox').fill(label)
				await dialog
					.getByRole('option', { name: `${label} Page`, exact: true })
					.first()
					.waitFor()
			}
			await page.keyboard.press('Escape')
			await dialog.waitFor({ state: 'hidden' })
		})

		test('Home, the reader and Sessions bring at most 200 kB of script and less than a second of work', async () => {
			const { browser, url, page: signedIn } = staged()
			const storageState = await signedIn.context().storageState()
			await open('/sessions')
			const session = await signedIn
				.getByRole('table', { name: 'Sessions' })
				.getByRole('link')
				.first()
				.getAttribute('href')
			const reader = `/${(session ?? '').split('/').slice(4).join('/')}`
			for (const path of ['/', '/sessions', reader]) {
				const { page, context } = await openPage(browser, url, { storageState })
				let bytes = 0
				page.on('response', (response) => {
					if (response.url().endsWith('.js')) bytes += Number(response.headers()['content-length'])
				})
				const visit = async () => {
					const before = performance.now()
					await page.goto(`${url}/ui/w/demo${path}`)
					await page.getByRole('heading', { level: 1 }).first().waitFor()
					await page.getByRole('main').getByRole('link').first().waitFor()
					return performance.now() - before
				}
				const worked = await workedMs(page)
				await visit()
				await waitUntilLoaded(page, 60_000)
				const script = bytes
				expect(script, path).toBeGreaterThan(0)
				expect(script, path).toBeLessThanOrEqual(mostScript)
				// By now everything is in the cache. What other programs hold up once, they do not hold up each time.
				const times: number[] = []
				const work: number[] = []
				for (let at = 0; at < visits; at += 1) {
					const before = await worked()
					times.push(await visit())
					// A page that loads in a new process begins to count at none.
					const after = await worked()
					work.push(after < before ? after : after - before)
				}
				console.log(
					`${path}: ${(script / 1000).toFixed(0)} kB, interactive after ${times.map((ms) => ms.toFixed(0)).join(', ')} ms, ${Math.min(...work).toFixed(0)} ms of work`,
				)
				expect(Math.min(...work), path).toBeGreaterThan(0)
				expect(Math.min(...work), path).toBeLessThan(maxWorkMs)
				expect(Math.min(...times), path).toBeLessThan(maxMs)
				await context.close()
			}
		})
	})
}

/** Titles of the parts that say that nothing is there yet. */
const emptyParts = (page: Page) => page.getByTestId('empty').getByRole('heading').allTextContents()

/** Answers how to ask what the thread of the page has worked since now, whoever else runs. */
async function workedMs(page: Page): Promise<() => Promise<number>> {
	const session = await page.context().newCDPSession(page)
	await session.send('Performance.enable', { timeDomain: 'threadTicks' })
	return async () => {
		const { metrics } = await session.send('Performance.getMetrics')
		return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
	}
}
