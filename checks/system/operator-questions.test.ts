import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { launchBrowser, leaveBrowser, openPage } from './browser.ts'
import { describeDemoScreens } from './demo-screens.ts'
import { type FreshProgram, startFreshProgram } from './fresh-program.ts'
import { type Screens, screenFaults, showNext } from './screen-faults.ts'

const account = { email: 'ann@example.org', password: 'a long enough passphrase' }

let program: FreshProgram
let browser: Browser
let page: Page
let actions = 0

beforeAll(async () => {
	program = await startFreshProgram({ SIGNALBOX_DEMO: 'on' }, { withTables: true })
	browser = await launchBrowser()
	page = (await openPage(browser, program.url)).page
	await page.goto(program.setupLink)
	await page.getByLabel('E-mail').fill(account.email)
	await page.getByLabel('Password').fill(account.password)
	await page.getByRole('button', { name: 'Create admin account' }).click()
	// The dashboard opens the demo as soon as the demo is ready.
	await page.waitForURL('**/ui/w/demo/**', { timeout: 120_000 })
	await page.getByRole('heading', { name: 'This is a demo' }).waitFor()
}, 240_000)
afterAll(async () => {
	await leaveBrowser()
	await program?.stop()
})

/** Clicks, and counts the click as one action of the operator. */
async function act(target: Locator): Promise<void> {
	actions += 1
	await target.click()
}

const link = (name: string | RegExp, within: Page | Locator = page) =>
	within.getByRole('link', { name }).first()
const tab = (name: string | RegExp) => page.getByRole('tab', { name })
const table = (name: string | RegExp) => page.getByRole('table', { name })
const sees = (text: string | RegExp, within: Page | Locator = page) =>
	within.getByText(text).first().waitFor()
const places = () => page.getByRole('navigation', { name: 'Main' })

/** Defines a test that starts on Home and must find the answer with at most three actions. */
function ask(question: string, answer: () => Promise<unknown>): void {
	test(question, async () => {
		await showNext(page, '/')
		await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
		actions = 0
		await answer()
		expect(actions).toBeLessThanOrEqual(3)
	})
}

describe('an operator finds the answer to a question with at most three actions', () => {
	ask('Which agents may delete issues?', async () => {
		// Its failed calls are links as well, and may be there before the servers are.
		await act(link(/^Issue tracker(?! \/)/))
		await act(tab(/^Access/))
		await sees('Release bot')
		await sees('Coding assistant')
	})

	ask('Why was this call refused?', async () => {
		await act(link('All failures'))
		// Home also has a link with this name, which is visible until the next screen is shown.
		await act(link(/create_issue/, table('Calls, newest first')))
		await sees(/may not use it until it is approved/)
	})

	ask('What did the last run of the research agent cost?', async () => {
		await act(link('Spend', places()))
		await act(link('Nightly research', table('Cost by agent')))
		await sees(/\$\d/)
	})

	ask('Which server got slower since its last release?', () => sees(/slower since 1\.5\.0/))

	ask('Who used this key?', async () => {
		await act(link('Settings', places()))
		await act(link('Keys & tokens', places()))
		await act(link('Coding assistant, production: its calls'))
		await sees('mara@example.org')
	})

	ask('What changed in this tool?', async () => {
		await act(link(/A tool changed/))
		await sees(/before you call this tool, read the file/)
	})

	ask('Which budget is nearly spent?', async () => {
		await act(link('Spend', places()))
		await sees('All models')
		await sees(/\(9\d %\)/)
	})

	ask('What is failing now?', () => sees(/fetch_page/))

	ask('Which grants are unused?', async () => {
		await act(link('Agents', places()))
		await act(link('Access review', places()))
		await sees(/Billing records/)
	})

	ask('What is waiting for my approval?', async () => {
		await act(link(/^Approvals/, places()))
		await sees(/delete_issue/)
	})

	ask('Which agent runs in a loop?', async () => {
		await act(link(/Agent stuck in a loop/))
		await sees(/get_build_log/)
	})

	ask('Which servers are used that nobody registered?', async () => {
		await act(link('Traffic', places()))
		await act(link('Spotlight', places()))
		await act(tab('Server'))
		await sees('pricing-tools')
	})

	ask('Which model costs most?', async () => {
		await act(link('Spend', places()))
		await sees('claude-sonnet-4-5', table('Cost by model'))
	})

	ask('Who used the models most?', async () => {
		await act(link('Traffic', places()))
		await act(link('Spotlight', places()))
		await act(tab('User'))
		await sees('jon@example.org')
	})

	ask('Why did this call fail, in the words of the server?', async () => {
		await act(link(/fetch_page/, page.getByRole('list').filter({ hasText: 'fetch_page' })))
		await sees('The archive did not answer within 10 s.', page.getByRole('region', { name: 'Selected span' }))
		await sees('Arguments', page.getByRole('list', { name: 'Messages' }))
	})

	ask('Which prompt cost most?', async () => {
		await act(link('Spend', places()))
		await act(page.getByRole('table', { name: 'Cost by session' }).getByRole('link').first())
		await sees('User', page.getByRole('list', { name: 'Messages' }))
	})

	ask('Who changed this grant, and when?', async () => {
		// Its failed calls are links as well, and may be there before the servers are.
		await act(link(/^Issue tracker(?! \/)/))
		await act(tab(/^Access/))
		await act(link('History of access: Release bot'))
		await sees(/access\.create|Access was granted/)
	})

	ask('Which version made this server slower?', async () => {
		await act(link(/slower since 1\.5\.0/))
		await sees('1.5.0', table('Versions'))
		await sees('1.4.2', table('Versions'))
	})

	ask('Which sessions has this user, by a part of the name?', async () => {
		await act(link('Traffic', places()))
		await act(link('Sessions', places()))
		actions += 1
		await page.getByRole('searchbox', { name: 'User contains' }).fill('mara')
		await sees('mara@example.org', table('Sessions'))
		await expect.poll(() => table('Sessions').getByText('jon@example.org').count()).toBe(0)
	})

	ask('Who changed what may be called?', async () => {
		await act(link('Settings', places()))
		await act(link('Audit', places()))
		await sees(/access\.create|Access was granted/)
	})
})

describeDemoScreens(() => ({ browser, url: program.url, page }))

/** All these screens are checked when screenshots are taken. Otherwise only Home is, because no other test shows it with demo data. */
const screens: Screens = process.env.SIGNALBOX_PICTURES
	? [
			['/', 'Home'],
			['/spotlight', 'Spotlight'],
			['/dashboards/operations', 'Operations'],
			['/sessions', 'Sessions'],
			['/alerts', 'Alerts'],
			['/servers', 'MCP servers'],
			['/tools', 'Tools'],
			['/agents', 'Agents'],
			['/access', 'Access matrix'],
			['/spend', 'Spend'],
		]
	: [['/', 'Home']]

test('the screens of the demo are accessible, fit the window, and cause no content policy violation', async () => {
	const session = await page.context().storageState()
	expect(await screenFaults(browser, program.url, screens, session)).toEqual([])
})

test('the demo is removed with one button', async () => {
	await page.goto(`${program.url}/ui/`)
	await page.getByRole('button', { name: 'Remove the demo' }).click()
	await page.getByRole('dialog').getByRole('button', { name: 'Remove the demo' }).click()
	await page.getByRole('button', { name: 'Explore the demo' }).waitFor()
})
