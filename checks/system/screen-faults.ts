import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { accessibilityFaults, openPage } from './browser.ts'

const pictures = process.env.SIGNALBOX_PICTURES
const loading = '[aria-label="Loading"], .animate-pulse.bg-line'
type Theme = 'dark' | 'light'
/** The rules that a theme can break; every other one is the same in both. */
const colourRules = ['color-contrast', 'link-in-text-block']
const isLong = Boolean(process.env.LONG_TESTS || pictures)
/**
 * Those of a phone, a tablet, and three screens; the last one is how a page is left. The short form leaves out those that are laid
 * out like the last one.
 */
const widths = isLong ? [390, 768, 1440, 1920, 1280] : [390, 768, 1280]

/**
 * Which accessibility rules are checked in which look. The long form checks every rule in every look. The short form checks every rule once on each
 * screen: on half of them in a wide window, on the others on a phone; the two themes take turns from screen to screen.
 */
function checksAt(width: number, shown: Theme, path: string): (readonly [Theme, Rules])[] {
	const other = shown === 'dark' ? 'light' : 'dark'
	if (isLong)
		return [
			[shown, {}],
			[other, { only: colourRules }],
		]
	return width === (isForPhone(path) ? 390 : 1280) ? [[other, {}]] : []
}

/** The same for a screen in every run, whatever the ids in its path. */
function isForPhone(path: string): boolean {
	return (
		[...path.replaceAll(/[\da-f-]{16,}/g, '')].reduce((sum, sign) => sum + sign.charCodeAt(0), 0) % 2 === 1
	)
}

type Rules = NonNullable<Parameters<typeof accessibilityFaults>[1]>

/** A screen is its path and its heading; a heading of null stands for a dialog. */
export type Screens = readonly (readonly [path: string, heading: string | null])[]

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>

/**
 * What is wrong with screens once they have loaded, in both themes and several widths: against accessibility, wider than the
 * window, or refused by the content policy. Each is rendered once, and its look changed in place. Where the environment
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
		if (storageState) await showScreen(page, origin, path)
		else await page.goto(`${origin}/ui${path}`)
		const sign = heading ? page.getByRole('heading', { name: heading, level: 1 }) : page.getByRole('dialog')
		await sign.waitFor()
		await waitUntilLoaded(page)
		found.push(...(await faultsOfLooks(page, path)))
	}
	await context.close()
	return [...found, ...faults]
}

/** Shows a screen of a workspace to somebody who is signed in; the dashboard is loaded where the page does not show one yet. */
export async function showScreen(page: Page, origin: string, path: string): Promise<void> {
	if (page.url().startsWith(`${origin}/ui/w/`)) await showNext(page, path)
	else await page.goto(`${origin}/ui${path}`)
}

/**
 * Goes to a screen of the workspace that the page shows without loading the dashboard again, which would take ten times as long. A screen that is none lies
 * between, so that nothing of one is taken for the other.
 */
export async function showNext(page: Page, path: string): Promise<void> {
	const base = /^\/ui(\/w\/[^/]+)?/.exec(new URL(page.url()).pathname)?.[0] ?? ''
	const go = (to: string) => page.evaluate(`history.pushState({}, '', ${JSON.stringify(base + to)})`)
	await go('/no-such-screen')
	await page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor()
	await go(path)
}

/** Until nothing of a screen stands in for what is still on its way. */
export async function waitUntilLoaded(page: Page, timeout = 60_000): Promise<void> {
	await expect.poll(() => page.locator(loading).count(), { timeout }).toBe(0)
}

/** Of the screen as it stands, in every look; it is left as a wide one. */
export async function faultsOfLooks(page: Page, path: string): Promise<string[]> {
	const found: string[] = []
	await page.evaluate(stopMotion)
	for (const width of widths) {
		await page.setViewportSize({ width, height: 844 })
		for (const [theme, rules] of checksAt(width, await themeOf(page), path)) {
			await showTheme(page, theme)
			const look = `${path}, ${width} px, ${theme}`
			const faults = await accessibilityFaults(page, rules)
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

async function themeOf(page: Page): Promise<Theme> {
	const isDark = await page.evaluate<boolean>("document.documentElement.classList.contains('dark')")
	return isDark ? 'dark' : 'light'
}

async function showTheme(page: Page, theme: Theme): Promise<void> {
	await page.emulateMedia({ colorScheme: theme })
	await page.evaluate(takeTheme(theme))
}

async function takePicture(page: Page, path: string, look: string): Promise<void> {
	if (!pictures) return
	const name = (path.slice(1) || 'home').replaceAll(/\W+/g, '-')
	const width = page.viewportSize()?.width ?? 1280
	// Of a long list only the rows in the window are in the page.
	const height = Math.min(3000, await page.evaluate<number>('document.documentElement.scrollHeight'))
	await page.setViewportSize({ width, height })
	await page.screenshot({ path: `${pictures}/${name}-${look}.png` })
	await page.setViewportSize({ width, height: 844 })
}
