import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startReferenceServer } from '../../examples/first-call/reference-server.ts'
import { launchBrowser, leaveBrowser, openPage, pathOf, type Watched } from './browser.ts'
import { type FreshProgram, startFreshProgram } from './fresh-program.ts'
import { keyboardOf } from './keyboard.ts'
import { type Screens, screenFaults } from './screen-faults.ts'

const email = 'ada@example.com'
const password = 'correct horse battery staple'

let program: FreshProgram
let reference: Awaited<ReturnType<typeof startReferenceServer>>
let browser: Browser
let watched: Watched
let page: Page
let keyboard: ReturnType<typeof keyboardOf>
let session: Awaited<ReturnType<BrowserContext['storageState']>>
let agentKey = ''
/** Paths of the screens that the tests below create. */
const made: Record<'server' | 'agent' | 'trace', string> = { server: '', agent: '', trace: '' }

beforeAll(async () => {
	;[program, reference, browser] = await Promise.all([
		// first-hour.test.ts starts it without tables.
		startFreshProgram({}, { withTables: true }),
		startReferenceServer(),
		launchBrowser(),
	])
	watched = await openPage(browser, program.url)
	page = watched.page
	keyboard = keyboardOf(page)
})

afterAll(async () => {
	await leaveBrowser()
	await Promise.all([program?.stop(), reference?.stop()])
})

const ui = (path: string) => `${program.url}/ui${path}`
const pathNow = () => pathOf(page)

/** The first element with this role and name. */
const byRole = (role: 'button' | 'link', name: string | RegExp) => page.getByRole(role, { name }).first()

describe('a new user with only a keyboard, in a real browser', () => {
	test('opens the setup link, whose secret is removed from the address bar', async () => {
		await page.goto(program.setupLink)
		await keyboard.fill('E-mail', email)
		expect(page.url()).not.toContain('#')
		await keyboard.fill('Password', password)
		await keyboard.press('Create admin account')
		await page.getByRole('heading', { name: 'Getting started', level: 1 }).waitFor()
		await page.getByText('Waiting for the first tool call…').waitFor()
	})

	test('signs out, is redirected to sign in, and returns to the requested screen', async () => {
		await keyboard.press('ada@example.com')
		await keyboard.chooseItem('Sign out')
		await page.getByRole('heading', { name: 'Sign in' }).waitFor()
		await page.goto(ui('/servers'))
		await keyboard.fill('E-mail', email)
		await keyboard.fill('Password', 'wrong password')
		await keyboard.press('Sign in')
		await page.getByText('E-mail or password is wrong').first().waitFor()
		await keyboard.fill('Password', password)
		await keyboard.press('Sign in')
		await page.getByRole('heading', { name: 'MCP servers', level: 1 }).waitFor()
		session = await watched.context.storageState()
	})

	test('stays signed in through the refresh token when the access token is gone', async () => {
		await watched.context.clearCookies({ name: /^(__Host-signalbox|signalbox-\d+)$/ })
		await page.reload()
		await page.getByRole('heading', { name: 'MCP servers', level: 1 }).waitFor()
		session = await watched.context.storageState()
		expect(session.cookies.length).toBe(2)
	})

	test('a session that ends while a screen is open leads to sign-in once, and from there back to the screen', async () => {
		await watched.context.clearCookies()
		await page.keyboard.press('g')
		await page.keyboard.press('d')
		await page.getByRole('heading', { name: 'Sign in' }).waitFor()
		await keyboard.fill('E-mail', email)
		await keyboard.fill('Password', password)
		expect(new URL(page.url()).searchParams.get('next')).toMatch(/^\/ui\/w\/[^/]+\/spend$/)
		await keyboard.press('Sign in')
		await keyboard.activate(byRole('link', 'MCP servers'))
		await page.getByRole('heading', { name: 'MCP servers', level: 1 }).waitFor()
		session = await watched.context.storageState()
	})

	test('registers an MCP server by its URL and sees the result of the health check', async () => {
		await keyboard.activate(byRole('button', 'Register server'))
		await keyboard.fill('URL', reference.url)
		await keyboard.fill('Name', 'everything')
		await keyboard.press('Register and check')
		const dialog = page.getByRole('dialog')
		await dialog.getByText('Registered and checked.').waitFor()
		await dialog.getByText('healthy').waitFor()
		await dialog.getByText(/\becho\b/).waitFor()
		await keyboard.press('Done', dialog)
	})

	test('sees the tools of the server with their schemas, and its current health', async () => {
		await keyboard.activate(page.getByRole('link', { name: 'everything', exact: true }))
		await keyboard.activate(page.locator('summary', { hasText: /^echo/ }))
		await page.getByRole('region', { name: 'Arguments schema' }).first().getByText('"message":').waitFor()
		await keyboard.press('Check now')
		await page.getByText('Latency').waitFor()
		made.server = pathNow()
	})

	test('creates an agent and a key that is shown once', async () => {
		await page.goto(ui('/agents'))
		await keyboard.activate(byRole('button', 'Create agent'))
		const dialog = page.getByRole('dialog')
		await keyboard.fill('Name', 'billing-bot')
		await keyboard.press('Create agent', dialog)
		await page.getByRole('heading', { name: 'billing-bot', level: 1 }).waitFor()
		made.agent = pathNow()
		await keyboard.chooseTab(/^Keys/)
		await keyboard.press('Create key')
		await keyboard.fill('Name', 'laptop')
		await keyboard.press('Create key', dialog)
		agentKey = (await page.getByTestId('secret').textContent()) ?? ''
		expect(agentKey).toMatch(/^sk_service_[0-9A-Za-z]{49}$/)
		await dialog.getByText('claude mcp add --transport http').waitFor()
		await keyboard.press('Copy key', dialog)
		expect(await page.evaluate('navigator.clipboard.readText()')).toBe(agentKey)
		expect(await dialog.getByRole('button', { name: 'Done' }).isEnabled()).toBe(false)
		await keyboard.check(dialog.getByRole('checkbox'))
		await keyboard.press('Done', dialog)
		await page.getByRole('cell', { name: 'laptop: its calls', exact: true }).waitFor()
		await page.reload()
		await page.getByRole('cell', { name: 'laptop: its calls', exact: true }).waitFor()
		expect(await page.content()).not.toContain(agentKey)
	})

	test('grants two selected tools and sees the verdict of each', async () => {
		await keyboard.chooseTab(/^Access/)
		await keyboard.activate(byRole('button', 'Grant access'))
		const dialog = page.getByRole('dialog')
		await keyboard.check(dialog.getByRole('checkbox', { name: 'echo', exact: true }))
		await keyboard.check(dialog.getByRole('checkbox', { name: 'get-sum', exact: true }))
		await keyboard.press('Grant access', dialog)
		await dialog.waitFor({ state: 'hidden' })
		await page.getByText('2 tools').waitFor()
		const line = page.locator('li', { has: page.getByRole('checkbox', { name: 'echo', exact: true }) })
		if (!(await line.isVisible())) await keyboard.activate(byRole('button', /^everything/))
		await line.getByText('allowed').waitFor()
		expect(await page.getByRole('list', { name: 'Tools' }).getByText('allowed').count()).toBe(2)
	})

	test('watches the calls of a real client arrive live, including a refused one', async () => {
		await page.goto(ui('/live'))
		await page.getByText('Live', { exact: true }).waitFor()
		const client = new Client({ name: 'dashboard-test', version: '1.0.0' })
		const requestInit = { headers: { authorization: `Bearer ${agentKey}` } }
		await client.connect(
			new StreamableHTTPClientTransport(new URL(`${program.url}/mcp/everything`), { requestInit }),
		)
		expect((await client.listTools()).tools.map(({ name }) => name).sort()).toEqual(['echo', 'get-sum'])
		await client.callTool({ name: 'echo', arguments: { message: 'hello' } })
		await client.callTool({ name: 'get-sum', arguments: { a: 1, b: 2 } })
		await expect(client.callTool({ name: 'get-env', arguments: {} })).rejects.toThrow()
		await client.close()
		await page.getByRole('link', { name: 'everything / echo' }).first().waitFor({ timeout: 10_000 })
		await page.getByRole('link', { name: 'everything / get-sum' }).first().waitFor({ timeout: 10_000 })
		await page
			.getByRole('row', { name: /denied.*get-env/ })
			.first()
			.waitFor({ timeout: 10_000 })
	})

	test('opens the trace of a call', async () => {
		await keyboard.activate(byRole('link', 'everything / echo'))
		await page.getByRole('tree', { name: 'Spans of the trace' }).getByRole('treeitem').first().waitFor()
		await page.getByRole('tab', { name: /^Attributes/ }).waitFor()
		made.trace = pathNow()
	})

	test('finds why a call was refused', async () => {
		await page.goto(ui('/'))
		await keyboard.activate(byRole('link', 'All failures'))
		await keyboard.activate(
			page
				.getByRole('row', { name: /denied.*get-env/ })
				.getByRole('link')
				.first(),
		)
		await page.getByRole('tree', { name: 'Spans of the trace' }).waitFor()
		await page
			.getByText(/is not granted to billing-bot/)
			.first()
			.waitFor()
	})

	test('sees the overview and the first step update without a reload', async () => {
		await page.goto(ui('/'))
		const calls = page
			.locator('div', { has: page.locator('dt', { hasText: /^Calls$/ }) })
			.last()
			.locator('dd')
		await expect.poll(() => calls.textContent(), { timeout: 15_000 }).toMatch(/^[1-9]/)
		await page.goto(ui('/getting-started'))
		await page.getByText('was called.').waitFor({ timeout: 15_000 })
	})

	test('finds each change in the audit log, and pauses the agent', async () => {
		await page.goto(ui('/audit'))
		for (const action of ['servers.create', 'agents.create', 'access.create']) {
			await page.getByRole('cell', { name: action, exact: true }).first().waitFor()
		}
		await page.goto(ui(made.agent))
		await keyboard.press('Pause')
		await page.getByText('paused', { exact: true }).first().waitFor()
		await keyboard.press('Resume')
		await page.getByText('active', { exact: true }).first().waitFor()
	})

	test('opens a server by typing part of its name', async () => {
		await page.keyboard.press('Control+k')
		await page.getByRole('dialog').getByRole('combobox').fill('everyth')
		// It opens even if the key comes before the matches.
		await page.keyboard.press('Enter')
		await page.getByRole('heading', { name: 'everything', level: 1 }).waitFor()
		await page.getByRole('dialog').waitFor({ state: 'hidden' })
	})

	test('finds a documentation page by a term in its text', async () => {
		await page.keyboard.press('Control+k')
		await page.getByRole('dialog').getByRole('combobox').fill('OTEL_EXPORTER_OTLP_HEADERS')
		await page.getByRole('option', { name: 'Send telemetry' }).click()
		await page.getByRole('heading', { name: 'Send telemetry', level: 1 }).waitFor()
		await page.getByRole('main').getByRole('link', { name: 'Configuration', exact: true }).click()
		await page.getByRole('heading', { name: 'Configuration', level: 1 }).waitFor()
	})

	test('sees when the browser is offline, and the screen recovers by itself when it is online again', async () => {
		await page.goto(ui('/servers'))
		await page.getByRole('link', { name: 'everything' }).first().waitFor()
		await watched.context.setOffline(true)
		await page.getByText('You are offline. What is shown may be out of date').waitFor()
		await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Agents' }).click()
		await page.getByRole('alert').getByText('Check the network of this device.').first().waitFor()
		// A screen whose scripts have not been loaded yet.
		await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Spend' }).click()
		await page.getByRole('alert').getByText('Check the network of this device.').first().waitFor()
		await page.getByRole('link', { name: 'Signalbox: overview' }).waitFor()
		await watched.context.setOffline(false)
		await page.getByRole('heading', { name: 'Spend', level: 1 }).waitFor()
		await page.getByText('You are offline').waitFor({ state: 'hidden' })
	})

	test('causes no content policy violations, no requests to other hosts and no script errors', () => {
		expect(watched.faults).toEqual([])
	})
})

describe('every screen', () => {
	const signedIn = (): Screens => [
		['/', 'Home'],
		['/live', 'Traffic'],
		['/docs/redaction', 'Redaction'],
		[made.trace, 'everything / echo'],
		['/servers', 'MCP servers'],
		['/servers?register=true', null],
		[made.server, 'everything'],
		[`${made.server}?tab=access`, 'everything'],
		[`${made.server}?tab=settings`, 'everything'],
		['/agents', 'Agents'],
		['/agents?create=true', null],
		[made.agent, 'billing-bot'],
		[`${made.agent}?tab=keys`, 'billing-bot'],
		[`${made.agent}?tab=calls`, 'billing-bot'],
		[`${made.agent}?tab=settings`, 'billing-bot'],
		['/connections', 'Model connections'],
		['/keys', 'Keys & tokens'],
		['/keys?tab=tokens', 'Keys & tokens'],
		['/audit', 'Audit'],
		['/getting-started', 'Getting started'],
		['/nothing-here', 'Not found'],
	]
	const signedOut: Screens = [
		['/sign-in', 'Sign in'],
		['/register', 'Create an account'],
		['/setup', 'The link is incomplete'],
	]

	test('is accessible, fits, and complies with the content policy, in both themes and three widths', async () => {
		const faults = await screenFaults(browser, program.url, signedIn(), session)
		expect([...faults, ...(await screenFaults(browser, program.url, signedOut))].join('\n')).toBe('')
	})
})

test('the first screen loads at most 200 kB of compressed script', async () => {
	const { page, context } = await openPage(browser, program.url, { storageState: session })
	let bytes = 0
	page.on('response', (response) => {
		if (response.url().endsWith('.js')) bytes += Number(response.headers()['content-length'])
	})
	await page.goto(ui('/'))
	await page.getByRole('img', { name: /^Calls over time/ }).waitFor()
	expect(bytes).toBeGreaterThan(0)
	expect(bytes).toBeLessThanOrEqual(200_000)
	await context.close()
})

test('the API reference works without requests to other hosts and within its content policy', async () => {
	const { page, faults, context } = await openPage(browser, program.url)
	await page.goto(`${program.url}/docs`)
	await page.getByText('Register an MCP server by URL').first().waitFor()
	expect(faults).toEqual([])
	await context.close()
})
