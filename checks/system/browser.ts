import { setTimeout } from 'node:timers/promises'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { chromiumFlags, findChromium } from '../src/chromium.ts'

// A string, because the checks are compiled without DOM types.
const reportViolations = `document.addEventListener('securitypolicyviolation', (event) =>
	reportViolation([event.violatedDirective, event.blockedURI, event.sample].join(' ')))`

export interface Watched {
	page: Page
	/** Violations of the content security policy, requests to other hosts, and uncaught errors of the page. */
	faults: string[]
	context: BrowserContext
}

let launched: Promise<Browser> | undefined

/**
 * The browser that all test files of this process share. Each file closes its browser contexts with `leaveBrowser`. Playwright launches it
 * directly: a Playwright server in between would serialise every message once more.
 */
export function launchBrowser(): Promise<Browser> {
	launched ??= findChromium().then(({ executablePath }) =>
		chromium.launch({ executablePath, args: chromiumFlags }),
	)
	return launched
}

/** Closes all browser contexts that a test file has opened. The browser itself ends with the test process. */
export async function leaveBrowser(): Promise<void> {
	const contexts = (await launched)?.contexts() ?? []
	await Promise.all(contexts.map((context) => context.close()))
}

/** Default Playwright timeout. When six test files share two slow cores, a screen can take over 15 s to load. */
const pageTimeoutMs = 60_000

/** Opens a page in a new browser context and records its faults. */
export async function openPage(
	browser: Browser,
	origin: string,
	options: {
		width?: number
		dark?: boolean
		storageState?: Awaited<ReturnType<BrowserContext['storageState']>>
	} = {},
): Promise<Watched> {
	const context = await browser.newContext({
		viewport: { width: options.width ?? 1280, height: 844 },
		colorScheme: options.dark ? 'dark' : 'light',
		// Without a GPU, every frame of an animation is rendered on the CPU.
		reducedMotion: 'reduce',
		locale: 'en-GB',
		...(options.storageState && { storageState: options.storageState }),
	})
	await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin })
	const page = await context.newPage()
	page.setDefaultTimeout(pageTimeoutMs)
	const faults: string[] = []
	await page.exposeFunction('reportViolation', (text: string) => faults.push(`policy: ${text}`))
	await page.addInitScript(reportViolations)
	page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
	page.on('request', (request) => {
		const url = request.url()
		if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) faults.push(`outside: ${url}`)
	})
	return { page, faults, context }
}

/** The path of a screen within its workspace. */
export function pathOf(page: Page): string {
	return new URL(page.url()).pathname.replace(/^\/ui(\/w\/[^/]+)?/, '')
}

interface AxeResult {
	violations: { id: string; help: string; nodes: { html: string }[] }[]
}

/** Runs axe-core on the current state of the page and returns one line per violation. `only` restricts the rules. */
export async function accessibilityFaults(
	page: Page,
	{ only }: { only?: readonly string[] } = {},
): Promise<string[]> {
	// The axe source has half a megabyte, so it is injected only once per page load.
	if (!(await page.evaluate<boolean>('window.axe !== undefined'))) await page.evaluate(`${axe.source};0`)
	const options = {
		// Describing passed checks as well would take three times as long.
		resultTypes: ['violations'],
		// By default axe fetches all style sheets again on each run, but no enabled rule reads them.
		preload: { assets: ['media'] },
		...(only && { runOnly: only }),
	}
	const run = page.evaluate<AxeResult>(`axe.run(document, ${JSON.stringify(options)})`)
	const { violations } = await Promise.race([run, noAnswerWithin(pageTimeoutMs, page)])
	return violations.map(({ id, help, nodes }) => `${id}: ${help} – ${nodes[0]?.html.slice(0, 200)}`)
}

/** Rejects after a time. `page.evaluate` itself has no timeout, so that a page without an answer would end only the whole test. */
async function noAnswerWithin(ms: number, page: Page): Promise<never> {
	await setTimeout(ms, undefined, { ref: false })
	throw new Error(`axe-core gave no result for ${page.url()} within ${ms / 1000} s`)
}

/** Ticks a box. While a dialog is still moving, a click may miss it, and a person would click again. */
export async function tick(box: Locator): Promise<void> {
	await expect
		.poll(
			() =>
				box.check().then(
					() => true,
					() => false,
				),
			{ timeout: 60_000 },
		)
		.toBe(true)
}
