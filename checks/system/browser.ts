import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { chromiumFlags, findChromium } from '../src/chromium.ts'

// As text: the checks are compiled without the types of a browser.
const reportViolations = `document.addEventListener('securitypolicyviolation', (event) =>
	reportViolation([event.violatedDirective, event.blockedURI, event.sample].join(' ')))`

export interface Watched {
	page: Page
	/** Refused by the content security policy, asked of another host, or thrown by the page. */
	faults: string[]
	context: BrowserContext
}

let launched: Promise<Browser> | undefined

/**
 * The browser of this test process, which its files have one after another: what a file leaves open ends with `leaveBrowser`.
 * Playwright drives it without a server of its own in between, which would pack and unpack each message once more.
 */
export function launchBrowser(): Promise<Browser> {
	launched ??= findChromium().then(({ executablePath }) =>
		chromium.launch({ executablePath, args: chromiumFlags }),
	)
	return launched
}

/** Ends all that a file has opened; the browser ends with its process. */
export async function leaveBrowser(): Promise<void> {
	const contexts = (await launched)?.contexts() ?? []
	await Promise.all(contexts.map((context) => context.close()))
}

/** How long a page waits for what it should show: where six files share two slow cores, a screen can take over 15 s. */
const pageTimeoutMs = 60_000

/** A page of which every fault is written down. */
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
		// Each frame of a movement is painted without a graphics card.
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

/** What axe-core finds wrong on the page as it stands, one line each; by all of its rules, or by some. */
export async function accessibilityFaults(
	page: Page,
	{ only }: { only?: readonly string[] } = {},
): Promise<string[]> {
	// Half a megabyte: once for each page that is loaded.
	if (!(await page.evaluate<boolean>('window.axe !== undefined'))) await page.evaluate(`${axe.source};0`)
	const options = {
		// To describe what passes as well would take three times as long.
		resultTypes: ['violations'],
		// No rule that is on reads style sheets; by default they are fetched again at each run.
		preload: { assets: ['media'] },
		...(only && { runOnly: only }),
	}
	const { violations } = await page.evaluate<AxeResult>(`axe.run(document, ${JSON.stringify(options)})`)
	return violations.map(({ id, help, nodes }) => `${id}: ${help} – ${nodes[0]?.html.slice(0, 200)}`)
}
