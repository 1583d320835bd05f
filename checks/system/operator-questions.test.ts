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
/** Waits until an element shows a text, in itself or in an element inside. */
const sees = (text: string | RegExp, within: Locator) => within.filter({ hasText: text }).first().waitFor()
const places = () => page.getByRole('navigation', { name: 'Main' })
const rowOf = (name: string, row: RegExp) => table(name).getByRole('row', { name: row }).first()

/** Fills in a field, and counts this as one action of the operator. */
async function enter(label: string, text: string): Promise<void> {
	actions += 1
	await page.getByRole('searchbox', { name: label }).fill(text)
}

/** The position of a column in a table. Waits until the table is shown. */
async function positionOf(name: string, column: string): Promise<number> {
	const headers = table(name).getByRole('columnheader')
	let at = -1
	// A filter that was just entered may replace the table between two reads.
	await expect
		.poll(
			async () => {
				at = (await headers.allTextContents()).findIndex((text) => text.trim() === column)
				return at
			},
			{ message: `column ${column} of ${name}`, timeout: 30_000 },
		)
		.toBeGreaterThanOrEqual(0)
	return at
}

/** The cell of a row in a column of a table. */
async function cellOf(name: string, column: string, row: Locator): Promise<Locator> {
	return row.getByRole('cell').nth(await positionOf(name, column))
}

/** The texts of all cells of a column, read at one moment, because a filter may remove rows in between. */
async function textsOf(name: string, column: string): Promise<string[]> {
	const at = await positionOf(name, column)
	const rows = table(name).getByRole('row')
	const texts = await rows.evaluateAll(
		(all, position) =>
			all.map((row) => row.querySelectorAll('td, th, [role=cell]')[position]?.textContent ?? ''),
		at,
	)
	return texts.slice(1).map((text) => text.trim())
}

/** Whether the numbers in a column are sorted, largest first. */
async function isSortedBy(name: string, column: string): Promise<boolean> {
	const numbers = (await textsOf(name, column)).map((text) => Number(text.replaceAll(/[$,]/g, '')))
	return numbers.length > 1 && numbers.every((value, at) => at === 0 || value <= (numbers[at - 1] as number))
}

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
		await act(link('Agents', places()))
		await act(link('Access matrix', places()))
		await enter('Find a tool', 'delete_issue')
		const decisions = () =>
			page.getByRole('gridcell').evaluateAll((cells) => cells.map((cell) => cell.getAttribute('aria-label')))
		await expect
			.poll(async () => (await decisions()).toSorted())
			.toEqual([
				'Coding assistant, delete_issue on Issue tracker: Allowed with approval',
				'Nightly research, delete_issue on Issue tracker: Not granted',
				'Release bot, delete_issue on Issue tracker: Allowed',
				'Support triage, delete_issue on Issue tracker: Not granted',
			])
	})

	ask('Why was this call refused?', async () => {
		await act(link('All failures'))
		// Home also has a link with this name, which is visible until the next screen is shown.
		await act(link(/create_issue/, table('Calls, newest first')))
		await sees(/may not use it until it is approved/, page.getByRole('region', { name: 'Selected span' }))
	})

	ask('What did the last run of the research agent cost?', async () => {
		await act(link('Traffic', places()))
		await act(link('Sessions', places()))
		await enter('Session contains', 'research')
		const last = table('Sessions').getByRole('row').nth(1)
		await sees('Nightly research', await cellOf('Sessions', 'Agent', last))
		// Its budget is $2.00, and it runs once a day.
		await sees(/^\$1\.\d\d$/, await cellOf('Sessions', 'Cost', last))
	})

	ask('Which server got slower since its last release?', () =>
		sees(
			/slower since 1\.5\.0/,
			page.getByRole('listitem').filter({ has: page.getByRole('link', { name: /^Build farm/ }) }),
		),
	)

	ask('Who used this key?', async () => {
		await act(link('Settings', places()))
		await act(link('Keys & tokens', places()))
		await act(link('Coding assistant, production: its calls'))
		await page.getByRole('button', { name: 'Remove filter key Coding assistant, production' }).waitFor()
		const row = table('Calls, newest first').getByRole('row', { name: /mara@example\.org/ })
		await sees('mara@example.org', await cellOf('Calls, newest first', 'Agent', row.first()))
	})

	ask('What changed in this tool?', async () => {
		await act(link(/A tool changed/))
		const change = page.getByRole('region', { name: 'Description: changed' })
		await sees(/before you call this tool, read the file/, change.getByRole('insertion'))
	})

	ask('Which budget is nearly spent?', async () => {
		await act(link('Spend', places()))
		await sees(/\(9\d %\)/, await cellOf('Budgets', 'State', rowOf('Budgets', /^All models/)))
	})

	ask('What is failing now?', () =>
		link(/^Docs search \/ fetch_page .*The archive did not answer within 10 s\.$/).waitFor(),
	)

	ask('Which grants are unused?', async () => {
		await act(link('Agents', places()))
		await act(link('Access review', places()))
		await page.getByRole('region', { name: 'Remove Support triage’s access to Billing records' }).waitFor()
	})

	ask('What is waiting for my approval?', async () => {
		await act(link(/^Approvals/, places()))
		const waiting = page.getByRole('list', { name: 'Waiting calls' })
		const call = waiting.getByRole('listitem', { name: 'delete_issue by Coding assistant' })
		await sees(/"number": 799/, call.getByRole('region', { name: /arguments of delete_issue/ }))
	})

	ask('Which agent runs in a loop?', async () => {
		await act(link(/Agent stuck in a loop/))
		await page.getByRole('heading', { name: 'invoke_agent Coding assistant', level: 1 }).waitFor()
		await page.getByRole('treeitem', { name: /^16 × use get_build_log/ }).waitFor()
	})

	ask('Which servers are used that nobody registered?', async () => {
		await act(link('Traffic', places()))
		await act(link('Spotlight', places()))
		await act(tab('Server'))
		const server = await cellOf('Calls by server', 'Server', rowOf('Calls by server', /^pricing-tools/))
		await sees('seen in telemetry only', server)
	})

	ask('Which model costs most?', async () => {
		await act(link('Spend', places()))
		await sees('claude-sonnet-4-5', table('Cost by model').getByRole('row').nth(1))
		expect(await isSortedBy('Cost by model', 'Cost')).toBe(true)
	})

	ask('Who used the models most?', async () => {
		await act(link('Traffic', places()))
		await act(link('Spotlight', places()))
		await act(tab('User'))
		await sees('jon@example.org', table('Calls by user').getByRole('row').nth(1))
		expect(await isSortedBy('Calls by user', 'Calls')).toBe(true)
	})

	ask('Why did this call fail, in the words of the server?', async () => {
		await act(link(/fetch_page/, page.getByRole('list').filter({ hasText: 'fetch_page' })))
		await sees('The archive did not answer within 10 s.', page.getByRole('region', { name: 'Selected span' }))
		await sees('Arguments', page.getByRole('list', { name: 'Messages' }))
	})

	ask('Which prompt cost most?', async () => {
		await act(link('Spend', places()))
		await table('Cost by session').getByRole('row').nth(1).waitFor()
		expect(await isSortedBy('Cost by session', 'Cost')).toBe(true)
		await act(link(/^research/, table('Cost by session').getByRole('row').nth(1)))
		const first = page.getByRole('list', { name: 'Calls' }).getByRole('listitem').first()
		await sees(/\$0\.\d+ so far/, first)
		await sees('Summarise the manual, chapter by chapter.', first.getByRole('list', { name: 'Messages' }))
	})

	ask('Who changed this grant, and when?', async () => {
		// Failed calls of this server are also links, and may be there before the servers are.
		await act(link(/^Issue tracker(?! \/)/))
		await act(tab(/^Access/))
		await act(link('History of access: Release bot'))
		const row = rowOf('Audit log', /Release bot → Issue tracker/)
		await sees('Demo data', await cellOf('Audit log', 'Actor', row))
		await sees(/access\.create|Access was granted/, await cellOf('Audit log', 'Action', row))
		await sees(/\d{4}, \d\d:\d\d:\d\d$/, await cellOf('Audit log', 'Time', row))
	})

	ask('Which version made this server slower?', async () => {
		await act(link(/slower since 1\.5\.0/))
		await sees(/^\d+ ms$/, await cellOf('Versions', 'p95', rowOf('Versions', /^1\.4\.2/)))
		await sees(/^[\d.]+ s$/, await cellOf('Versions', 'p95', rowOf('Versions', /^1\.5\.0/)))
	})

	ask('Which sessions has this user, by a part of the name?', async () => {
		await act(link('Traffic', places()))
		await act(link('Sessions', places()))
		await enter('User contains', 'mara')
		const users = async () => new Set(await textsOf('Sessions', 'User'))
		await expect.poll(users, { timeout: 60_000 }).toEqual(new Set(['mara@example.org']))
	})

	ask('Who changed what may be called?', async () => {
		await act(link('Settings', places()))
		await act(link('Audit', places()))
		const row = rowOf('Audit log', /(access\.create|Access was granted) Nightly research → Docs search/)
		await sees('Demo data', await cellOf('Audit log', 'Actor', row))
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
