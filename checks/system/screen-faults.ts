import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { accessibilityFaults, openPage } from './browser.ts'

const pictures = process.env.SIGNALBOX_PICTURES
const loading = '[aria-label="Loading"], .animate-pulse.bg-line'
/** Those of a phone, a tablet, and three screens; the last one is how a page is left. */
const widths = [390, 768, 1440, 1920, 1280]
const themes = ['dark', 'light'] as const
/** The rules that a theme can break; every other one is the same in both. */
const colourRules = ['color-contrast', 'link-in-text-block']

/**
 * Whether accessibility is checked in a screenshot. The short form leaves out the widths that are laid out as one of the
 * others, and the colours of a phone, which are those of a wide window and take most of the time; the overflow is measured
 * in every width.
 */
const isLong = Boolean(process.env.LONG_TESTS || pictures)
const isJudged = (width: number, theme: (typeof themes)[number]) =>
	isLong || (theme === 'light' ? width === 390 || width === 1280 : width === 1280)
const rulesOf = (width: number, theme: (typeof themes)[number]) => {
	if (theme === 'dark') return { only: colourRules }
	return { without: width === 390 && !isLong ? colourRules : [] }
}

/** A screen is its path and its heading; a heading of null stands for a dialog. */
export type Screens = readonly (readonly [path: string, heading: string | null])[]

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>

/**
 * What is wrong with screens once they have loaded, in both themes and several widths: against accessibility, wider than the
 * window, or refused by the content policy. Each is loaded once, and its look changed in place. Where the environment
 * names a folder for them, pictures of the screens go there.
 */
export async function screenFaults(
	browser: Browser,
	origin: string,
	screens: Screens,
	storageState?: StorageState,
): Promise<string[]> {
	const { page, faults, context } = await openPage(browser, origin, storageState && { storageState })
	const found: string[] = []
	for (const [path, heading] of screens) {
		await page.goto(`${origin}/ui${path}`)
		const sign = heading ? page.getByRole('heading', { name: heading, level: 1 }) : page.getByRole('dialog')
		await sign.waitFor()
		await waitUntilLoaded(page)
		found.push(...(await faultsOfLooks(page, path)))
	}
	await context.close()
	return [...found, ...faults]
}

/** Until nothing of a screen stands in for what is still on its way. */
export async function waitUntilLoaded(page: Page, timeout = 15_000): Promise<void> {
	await expect.poll(() => page.locator(loading).count(), { timeout }).toBe(0)
}

/** Of the screen as it stands, in every look; it is left as a wide one in the light. */
export async function faultsOfLooks(page: Page, path: string): Promise<string[]> {
	const found: string[] = []
	await page.evaluate(stopMotion)
	for (const width of widths) {
		await page.setViewportSize({ width, height: 844 })
		for (const theme of themes.filter((each) => isJudged(width, each))) {
			await showTheme(page, theme)
			const look = `${path}, ${width} px, ${theme}`
			const faults = await accessibilityFaults(page, rulesOf(width, theme))
			found.push(...faults.map((fault) => `${look}: ${fault}`))
			await takePicture(page, path, `${width}-${theme}`)
		}
		const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
		if (overflow > 0) found.push(`${path}: ${overflow} px wider than a window of ${width} px`)
	}
	return found
}

/** Changes of colour and movements end at once: a colour would otherwise be measured on its way from one theme to the other. */
const stopMotion = `(() => {
	if (window.isMotionStopped) return
	const sheet = new CSSStyleSheet()
	sheet.replaceSync('*, *::before, *::after { transition: none !important; animation: none !important }')
	document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
	window.isMotionStopped = true
})()`

/** Resolves when the page has taken a theme, which it learns of by an event. */
const takeTheme = (theme: string) => `new Promise((resolve) => {
	const look = () => document.documentElement.classList.contains('dark') === ${theme === 'dark'}
		? resolve() : setTimeout(look, 5)
	look()
})`

async function showTheme(page: Page, theme: (typeof themes)[number]): Promise<void> {
	await page.emulateMedia({ colorScheme: theme })
	await page.evaluate(takeTheme(theme))
}

async function takePicture(page: Page, path: string, look: string): Promise<void> {
	if (!pictures) return
	const name = (path.slice(1) || 'home').replaceAll(/\W+/g, '-')
	await page.screenshot({ path: `${pictures}/${name}-${look}.png`, fullPage: true })
}
