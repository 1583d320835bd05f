import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tick } from './browser.ts'
import { faultsOfLooks, type Screens, screenFaults } from './screen-faults.ts'
import { expectSmooth } from './scroll-cost.ts'
import { describeSpend } from './spend-screens.ts'
import { longTraceSpans, startTraffic, type TrafficStage } from './traffic-stage.ts'

/** Each press of the button loads a thousand rows, so the long form takes a while. */
const listRows = process.env.LONG_TESTS ? 100_000 : 2000

let stage: TrafficStage
let page: Page
let open: TrafficStage['open']
let press: TrafficStage['press']

beforeAll(async () => {
	stage = await startTraffic()
	;({ page, open, press } = stage)
})
afterAll(() => stage?.stop())

const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
const table = (name: string) => page.getByRole('table', { name })
const search = () => new URL(page.url()).searchParams

describe('Spotlight', () => {
	test('groups calls by each property with the keyboard only, and keeps the query in the URL', async () => {
		await open('/spotlight')
		await table('Calls by tool').getByRole('button', { name: 'echo' }).waitFor()
		await page.getByRole('tab', { name: 'Tool', exact: true }).focus()
		for (const [name, by] of [
			['Server', 'servers'],
			['Agent', 'agents'],
			['Model', 'models'],
		] as const) {
			await page.keyboard.press('ArrowRight')
			await table(`Calls by ${name.toLowerCase()}`).waitFor()
			expect(search().get('by')).toBe(by)
		}
		await page.getByRole('button', { name: 'Cost', exact: true }).press('Enter')
		await expect.poll(() => search().get('sort')).toBe('cost')
		await page.reload()
		await table('Calls by model').getByRole('columnheader', { name: 'Cost' }).waitFor()
		expect(
			await table('Calls by model').getByRole('columnheader', { name: 'Cost' }).getAttribute('aria-sort'),
		).toBe('descending')
	})

	test('shows the same figures as the API', async () => {
		const { tools } = await stage.call<{ tools: { tool: string; calls: number }[] }>(
			'GET',
			'/v1/spotlight/tools',
		)
		await open('/spotlight')
		for (const { tool, calls } of tools)
			await page.getByRole('link', { name: `Calls of ${tool}: ${calls}, open the calls` }).waitFor()
	})

	test('a click on a row adds a filter, the filter can be removed, and a figure opens its calls', async () => {
		await open('/spotlight')
		await table('Calls by tool').getByRole('button', { name: 'get-sum' }).click()
		const filters = page.getByRole('list', { name: 'Filters' })
		await filters.getByText('get-sum').waitFor()
		await page.getByRole('link', { name: /^Errors of get-sum/ }).click()
		await heading('Calls & traces')
		expect(search().get('calls')).toBe('counted_failed')
		await table('Calls, newest first').getByText('get-sum').first().waitFor()
		await page.goBack()
		await press(/^Remove filter tool/)
		await table('Calls by tool').getByRole('button', { name: 'echo' }).waitFor()
	})

	test('groups calls by any field and sorts by the biggest change', async () => {
		await open('/spotlight?by=usage')
		await page.getByLabel('Group by a field or an attribute').fill('agent_name')
		await press('Group')
		await table('Calls by any field').getByRole('button', { name: 'support-bot' }).waitFor()
		await page.getByRole('img', { name: /^Calls over time/ }).waitFor()
		await page.getByRole('radio', { name: 'Biggest change' }).click()
		await table('Calls by any field').getByText('new').first().waitFor()
		expect(search().get('sort')).toBe('calls_change')
		await page.getByRole('link', { name: /^Calls of support-bot/ }).click()
		await heading('Calls & traces')
		expect(search().get('filter')).toContain('agent_name=support-bot')
		await table('Calls, newest first').getByText('support-bot').first().waitFor()
	})

	test('calls that are grouped or filtered by agents are shown with the names of the agents, also in a new alert', async () => {
		await open('/spotlight?by=usage')
		await page.getByLabel('Group by a field or an attribute').fill('agent')
		await press('Group')
		const row = table('Calls by any field').getByRole('button', { name: 'support-bot', exact: true })
		await row.click()
		await page.getByRole('link', { name: 'Alert on this' }).waitFor({ state: 'hidden' })
		const { agents } = await stage.call<{ agents: { uuid: string; name: string }[] }>('GET', '/v1/agents')
		await open(`/spotlight?agent=${agents.find(({ name }) => name === 'support-bot')?.uuid}`)
		await page.getByRole('list', { name: 'Filters' }).getByText('support-bot').waitFor()
		await page.getByRole('link', { name: 'Alert on this' }).click()
		const dialog = page.getByRole('dialog', { name: 'Create an alert' })
		expect(await dialog.getByLabel('Name').inputValue()).toBe('Calls of support-bot')
		await dialog.getByText('Calls with agent support-bot').waitFor({ state: 'attached' })
	})

	test('figures and filters that cannot be read say so, and are there when they can be', async () => {
		let fails = true
		await page.route(/\/v1\/spotlight\/(overview|facets)/, (route) =>
			fails
				? route.fulfill({ status: 403, json: { code: 'forbidden', title: 'Not now' } })
				: route.continue(),
		)
		await open('/spotlight')
		await page.reload()
		await expect.poll(() => page.getByRole('heading', { name: 'Not now' }).count()).toBe(2)
		await table('Calls by tool').waitFor()
		fails = false
		for (const _ of [1, 2]) await page.getByRole('button', { name: 'Try again' }).first().click()
		await page.getByRole('link', { name: /^Error rate: / }).waitFor()
		await page.getByRole('region', { name: 'Filter by value' }).getByText('support-bot').first().waitFor()
		await page.unroute(/\/v1\/spotlight\/(overview|facets)/)
	})

	test('the error rate at the top opens the failed calls', async () => {
		await open('/spotlight')
		await page.getByRole('link', { name: /^Error rate: / }).click()
		await heading('Calls & traces')
		expect(search().get('calls')).toBe('counted_failed')
	})

	test('the traffic map shows who calls what, works with the keyboard, and has a table view', async () => {
		await open('/map')
		const map = page.getByRole('region', { name: 'Traffic map', exact: true })
		await map.getByRole('link', { name: /^everything/ }).focus()
		await page.keyboard.press('Enter')
		await heading('everything')
		await open('/map?view=table')
		await table('Who called what')
			.getByRole('row', { name: /support-bot.*echo/ })
			.getByRole('link', { name: 'echo' })
			.click()
		await heading('Spotlight')
		expect(search().get('tool')).toBe('echo')
	})

	test('a shared session is visible to a visitor without an account until its link is revoked', async () => {
		await open('/workspace?tab=settings')
		await page.getByRole('switch', { name: 'Share sessions by links' }).click()
		await page.getByText('No active links.').waitFor()
		await open('/sessions/~cnVuLzc')
		await press('Share')
		const dialog = page.getByRole('dialog')
		await press('Create link', dialog)
		const link = await dialog.getByTestId('secret').textContent()
		const context = await stage.browser.newContext()
		const visitor = await context.newPage()
		await visitor.goto(link ?? '')
		await visitor.getByRole('list', { name: 'Timeline' }).getByText('gpt-mock').first().waitFor()
		await visitor.getByText('This link does not include messages.').waitFor()
		await tick(dialog.getByLabel('I have stored the link'))
		await press('Done', dialog)
		await press('Share')
		await press(/^Revoke the link to/, dialog)
		await dialog.getByText('No active links.').waitFor()
		await visitor.reload()
		await visitor.getByRole('heading', { name: /^The link shows nothing/ }).waitFor()
		await context.close()
	})

	test('is found in the command palette', async () => {
		await open('/')
		await heading('Home')
		await page.keyboard.press('Control+k')
		await page.getByRole('combobox').fill('spotlight by fail')
		await page.keyboard.press('Enter')
		await table('Calls by failure').waitFor()
	})

	test('the search finds tools, sessions and pasted ids, and ? shows the keyboard shortcuts', async () => {
		await open('/')
		await heading('Home')
		const find = async (text: string, option: RegExp) => {
			await page.keyboard.press('Control+k')
			await page.getByRole('combobox', { name: 'Search for anything' }).fill(text)
			await page.getByRole('option', { name: option }).first().click()
		}
		await find('get-s', /^get-sum\s*Tool$/)
		await heading('get-sum')
		await find('un/7', /^run\/7\s*Session$/)
		await heading('Session')
		await find(stage.longTraceId, /Trace$/)
		await page.getByRole('tree', { name: 'Spans of the trace' }).waitFor()
		await open('/')
		await heading('Home')
		await page.keyboard.press('?')
		const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
		await keys.getByText('g then c').waitFor()
		expect(await faultsOfLooks(page, '/keys')).toEqual([])
		await page.keyboard.press('Escape')
	})

	test('times are shown in the time zone that the user selected, in every browser', async () => {
		const choose = async (zone: string) => {
			await open('/account')
			const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH')
			await page.getByLabel('Show times in').selectOption(zone)
			expect((await saved).status()).toBe(200)
		}
		await choose('Asia/Tokyo')
		const context = await stage.browser.newContext({ storageState: await page.context().storageState() })
		const elsewhere = await context.newPage()
		await context.addInitScript('localStorage.clear()')
		await elsewhere.goto(page.url())
		expect(await elsewhere.getByLabel('Show times in').inputValue()).toBe('Asia/Tokyo')
		await context.close()
		await open('/spotlight')
		await page
			.getByText(/intervals · Asia\/Tokyo/)
			.first()
			.waitFor()
		await open('/spotlight?start=-90d')
		await page.getByText('1 d intervals from midnight UTC · Asia/Tokyo').first().waitFor()
		await open('/spotlight')
		const inTokyo = () =>
			page.evaluate<string>(
				"new Date().toLocaleTimeString('en-GB', { timeZone: 'Asia/Tokyo', hour: '2-digit', minute: '2-digit' })",
			)
		await press('Last 24 hours')
		await page.getByRole('menuitem', { name: /^Custom range/ }).click()
		const until = await page.getByLabel('To', { exact: true }).inputValue()
		const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))
		expect(Math.abs(minutes(until.slice(11)) - minutes(await inTokyo())) % 1438).toBeLessThan(2)
		await page.keyboard.press('Escape')
		await choose('')
	})
})

describeSpend(() => stage)

describe('telemetry', () => {
	test('logs are found by severity, text and attribute, and new ones appear without a reload', async () => {
		await open('/logs')
		const logs = table('Log records, newest first')
		await logs.getByText('invoice 17 was sent', { exact: true }).waitFor()
		await page.getByRole('combobox', { name: 'Severity' }).selectOption('17')
		await logs.getByText('invoice 17 was sent', { exact: true }).waitFor({ state: 'hidden' })
		await logs.getByText('the printer is on fire', { exact: true }).waitFor()
		await open('/logs?text=QUEUE')
		await logs.getByText('the queue is long', { exact: true }).waitFor()
		await open('/logs')
		await press('Add filter')
		const filter = page.getByRole('form', { name: 'Add a filter' })
		await filter.getByLabel('Attribute', { exact: true }).fill('http.route')
		await filter.getByLabel('Comparison').selectOption('contains')
		await filter.getByLabel('Value', { exact: true }).fill('prin')
		await filter.getByRole('button', { name: 'Add' }).click()
		await page.getByRole('button', { name: /^Remove filter attribute http.route contains prin/ }).waitFor()
		await logs.getByText('invoice 17 was sent', { exact: true }).waitFor({ state: 'hidden' })
		const record = { severityNumber: 9, body: { stringValue: 'just now' } }
		const attributes = [{ key: 'http.route', value: { stringValue: '/print' } }]
		const timeUnixNano = `${Date.now()}000000`
		await stage.send('logs', {
			resourceLogs: [{ scopeLogs: [{ logRecords: [{ ...record, attributes, timeUnixNano }] }] }],
		})
		await logs.getByText('just now', { exact: true }).waitFor()
	})

	test('a metric is charted by an attribute and shown as a table', async () => {
		await open('/metrics?start=-1h&metric=queue.length')
		await page.getByLabel('Group by attribute').fill('queue')
		await press('Group')
		await page.getByRole('img', { name: /^queue.length, avg over time/ }).waitFor()
		await page.getByRole('radio', { name: 'Table' }).check()
		await table('queue.length, avg').getByText('print').first().waitFor()
		await press('Add filter')
		const filter = page.getByRole('form', { name: 'Add a filter' })
		await filter.getByLabel('Attribute', { exact: true }).fill('queue')
		await filter.getByLabel('Comparison').selectOption('is not')
		await filter.getByLabel('Value', { exact: true }).fill('print')
		await filter.getByRole('button', { name: 'Add' }).click()
		await expect.poll(() => table('queue.length, avg').getByText('print').count()).toBe(0)
	})

	test('traces are found by several attributes', async () => {
		await open(`/traces?attribute=${encodeURIComponent('["service.name=billing","!nothing"]')}`)
		await table('Traces, newest first').getByRole('link', { name: 'step 0', exact: true }).waitFor()
		await press('Remove filter attribute !nothing')
		await expect.poll(() => table('Traces, newest first').getByRole('link').count()).toBe(1)
	})

	test(`a list of ${listRows} rows scrolls without jank, since only visible rows are rendered`, async () => {
		if (listRows > longTraceSpans) await stage.sendLongTrace()
		await open('/traces?view=calls')
		const rows = table('Calls, newest first').getByRole('row')
		const heightOf = () => page.evaluate<number>('document.documentElement.scrollHeight')
		for (let thousands = 1; thousands * 1000 <= listRows; thousands++) {
			await page.getByRole('button', { name: 'Show older calls' }).press('Enter')
			await expect.poll(heightOf, { timeout: 15_000 }).toBeGreaterThan(thousands * 1000 * 35)
		}
		// This limit does not depend on the length of the list.
		expect(await rows.count()).toBeLessThan(250)
		await expectSmooth(page, `a list of ${listRows} rows`, 'html')
		await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)')
		await expect.poll(() => table('Calls, newest first').getByRole('link').count()).toBeGreaterThan(50)
	})

	test('a reload, and going back from another page, return to the same place of a list', async () => {
		const list = `${stage.program.url}/ui/traces?view=calls`
		const topOf = () => page.evaluate<number>('scrollY')
		await page.goto(list)
		await expect
			.poll(() => page.evaluate<number>('document.documentElement.scrollHeight'))
			.toBeGreaterThan(3500)
		await page.mouse.wheel(0, 2000)
		await expect.poll(topOf).toBe(2000)
		await page.reload()
		await expect.poll(topOf).toBe(2000)
		await page.goto(`${stage.program.url}/ui/agents`)
		await page.goBack()
		await expect.poll(topOf).toBe(2000)
	})

	test(`a trace of ${longTraceSpans} spans opens, and the End key shows its last span`, async () => {
		await open(`/traces/${stage.longTraceId}`)
		const spans = page.getByRole('tree', { name: 'Spans of the trace' })
		await spans.waitFor()
		await page.getByText(`${longTraceSpans.toLocaleString('en-US')} spans`).waitFor()
		expect(await spans.getByRole('treeitem').count()).toBeLessThan(100)
		await expectSmooth(page, `a waterfall of ${longTraceSpans} spans`, '[role=tree]')
		await spans.focus()
		await page.keyboard.press('End')
		await spans
			.locator('[aria-selected="true"]')
			.getByText(`step ${longTraceSpans - 1}`)
			.waitFor({ timeout: 10_000 })
	})
})

test('System health shows that everything acknowledged is stored and nothing is lost', async () => {
	await open('/system-health')
	await page.getByText('acknowledged = stored + in the log').waitFor()
	const lost = page.locator('dl > div', { hasText: 'Lost' })
	expect(await lost.getByText('0', { exact: true }).count()).toBe(1)
})

test('the tests caused no content policy violations, no requests to other hosts and no script errors', () => {
	expect(stage.watched.faults).toEqual([])
})

const screens: Screens = [
	['/spotlight?by=errors&compare=true', 'Spotlight'],
	['/spotlight?by=usage&sort=cost_change', 'Spotlight'],
	[`/spotlight?by=usage&group_by=${encodeURIComponent('["tool"]')}`, 'Spotlight'],
	['/map', 'Traffic map'],
	['/map?view=table', 'Traffic map'],
	['/traces', 'Calls & traces'],
	['/traces?view=calls&calls=failed', 'Calls & traces'],
	['/logs', 'Logs'],
	['/metrics?start=-1h', 'Metrics'],
	['/spend', 'Spend'],
	['/budgets', 'Budgets'],
	['/prices?provider=openai&model=gpt-5', 'Prices'],
	['/ledger', 'Ledger'],
	['/security', 'Security'],
	['/system-health', 'System health'],
	['/spotlight?tool=nothing', 'Spotlight'],
	['/logs?text=nothing', 'Logs'],
	['/budgets?create=true', null],
	['/prices?create=true', null],
]

test('the screens are accessible, fit their width, and comply with the content policy', async () => {
	const { browser, program, session } = stage
	expect(await screenFaults(browser, program.url, screens, session)).toEqual([])
})
