import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { accessibilityFaults, openPage } from './browser.ts'

const pictures = process.env.SIGNALBOX_PICTURES
const loading = '[aria-label="Loading"], .animate-pulse.bg-line'
type Theme = 'dark' | 'light'
/** The accessibility rules whose result can depend on the theme. */
const colourRules = ['color-contrast', 'link-in-text-block']
const isLong = Boolean(process.env.LONG_TESTS || pictures)
/**
 * The widths of a phone, a tablet and three desktop windows. The page keeps the last one. The short form omits the widths that have the
 * same layout as the last one.
 */
const widths = isLong ? [390, 768, 1440, 1920, 1280] : [390, 768, 1280]

/**
 * Which accessibility rules are checked in which look. The long form checks every rule in every look. The short form checks every rule
 * once on each screen: on half of them in a wide window, on the others on a phone; the two themes take turns from screen to screen.
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

/** Whether the short form checks a screen at phone width. Ids in the path are ignored, so that every run gives the same result. */
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
 * Loads screens and returns their faults in both themes and several widths: accessibility violations, content wider than the window, and
 * content policy violations. Each screen is rendered once, and its theme and width are changed in place. If `SIGNALBOX_PICTURES` names
 * a folder, screenshots are stored there.
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

/** Shows a screen of a workspace to a signed-in user, and loads the dashboard only if the page does not show it yet. */
export async function showScreen(page: Page, origin: string, path: string): Promise<void> {
	if (page.url().startsWith(`${origin}/ui/w/`)) await showNext(page, path)
	else await page.goto(`${origin}/ui${path}`)
}

/**
 * Goes to another screen of the current workspace without reloading the dashboard, which would take ten times as long. It goes through the
 * Not found screen, so that no element of the previous screen is mistaken for one of the next.
 */
export async function showNext(page: Page, path: string): Promise<void> {
	const base = /^\/ui(\/w\/[^/]+)?/.exec(new URL(page.url()).pathname)?.[0] ?? ''
	const go = (to: string) => page.evaluate(`history.pushState({}, '', ${JSON.stringify(base + to)})`)
	await go('/no-such-screen')
	await page.getByRole('heading', { name: 'Not found', level: 1 }).waitFor()
	await go(path)
}

/** Waits until no loading placeholder is left on the screen. */
export async function waitUntilLoaded(page: Page, timeout = 60_000): Promise<void> {
	await expect.poll(() => page.locator(loading).count(), { timeout }).toBe(0)
}

/** Returns the faults of the current screen at every width and theme, and leaves the window at the last, wide width. */
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

/** Disables transitions and animations, so that no colour is measured in the middle of a change of theme. */
const stopMotion = `(() => {
	if (window.isMotionStopped) return
	const sheet = new CSSStyleSheet()
	sheet.replaceSync('*, *::before, *::after { transition: none !important; animation: none !important }')
	document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]
	window.isMotionStopped = true
})()`

async function themeOf(page: Page): Promise<Theme> {
	const isDark = await page.evaluate<boolean>("document.documentElement.classList.contains('dark')")
	return isDark ? 'dark' : 'light'
}

/** Sets the browser's theme and waits until the page has applied it, which happens asynchronously after an event. */
async function showTheme(page: Page, theme: Theme): Promise<void> {
	await page.emulateMedia({ colorScheme: theme })
	const applied = page.locator(theme === 'dark' ? 'html.dark' : 'html:not(.dark)')
	// A page hears of the change with its next frame, which Chromium once did not draw for a minute. A screenshot makes it draw one.
	await applied.waitFor({ state: 'attached', timeout: 5000 }).catch(() => page.screenshot())
	await applied.waitFor({ state: 'attached' })
}

async function takePicture(page: Page, path: string, look: string): Promise<void> {
	if (!pictures) return
	const name = (path.slice(1) || 'home').replaceAll(/\W+/g, '-')
	const width = page.viewportSize()?.width ?? 1280
	// The height is limited, since a long list renders only the rows that are in the window.
	const height = Math.min(3000, await page.evaluate<number>('document.documentElement.scrollHeight'))
	await page.setViewportSize({ width, height })
	await page.screenshot({ path: `${pictures}/${name}-${look}.png` })
	await page.setViewportSize({ width, height: 844 })
}
