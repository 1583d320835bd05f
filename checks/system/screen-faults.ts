import type { Browser, BrowserContext } from 'playwright-core'
import { expect } from 'vitest'
import { accessibilityFaults, openPage } from './browser.ts'

const loading = '[aria-label="Loading"], .animate-pulse.bg-line'

/** The four ways in which every screen is looked at. */
export const looks = [
	{ dark: false, width: 1280 },
	{ dark: true, width: 1280 },
	{ dark: false, width: 390 },
	{ dark: true, width: 390 },
] as const

export interface Look {
	dark: boolean
	width: number
	storageState?: Awaited<ReturnType<BrowserContext['storageState']>>
	/** Where pictures of the screens go; absent: none are taken. */
	pictures?: string | undefined
}

/**
 * What is wrong with screens once they have loaded: against accessibility, wider than the window, or refused by the
 * content policy. A screen is its path and its heading; a heading of null stands for a dialog.
 */
export async function screenFaults(
	browser: Browser,
	origin: string,
	screens: readonly (readonly [string, string | null])[],
	look: Look,
): Promise<string[]> {
	const { page, faults, context } = await openPage(browser, origin, look)
	const found: string[] = []
	for (const [path, heading] of screens) {
		await page.goto(`${origin}/ui${path}`)
		const sign = heading ? page.getByRole('heading', { name: heading, level: 1 }) : page.getByRole('dialog')
		await sign.waitFor()
		await expect.poll(() => page.locator(loading).count(), { timeout: 15_000 }).toBe(0)
		await page.waitForTimeout(250)
		found.push(...(await accessibilityFaults(page)).map((fault) => `${path}: ${fault}`))
		const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
		if (overflow > 0) found.push(`${path}: ${overflow} px wider than the screen`)
		if (look.pictures) {
			const name = `${(path.slice(1) || 'home').replaceAll(/\W+/g, '-')}-${look.width}-${look.dark ? 'dark' : 'light'}.png`
			await page.screenshot({ path: `${look.pictures}/${name}`, fullPage: true })
		}
	}
	await context.close()
	return [...found, ...faults]
}
