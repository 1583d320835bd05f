import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startReferenceServer } from '../../examples/first-call/reference-server.ts'
import { launchBrowser, leaveBrowser, openPage, tick, type Watched } from './browser.ts'
import { type FreshProgram, startFreshProgram } from './fresh-program.ts'

let program: FreshProgram
let reference: Awaited<ReturnType<typeof startReferenceServer>>
let browser: Browser
let watched: Watched
let page: Page
const effort = { clicks: 0, fields: new Set<string>() }

/** Counts the user's effort over all pages: trusted clicks, and fields with input. */
const countEffort = `
	addEventListener('click', (event) => event.isTrusted && countClick(), true)
	addEventListener('input', ({ target }) => countField(location.pathname + ' ' + (target.labels?.[0]?.textContent ?? target.name)), true)`

beforeAll(async () => {
	;[program, reference, browser] = await Promise.all([
		startFreshProgram(),
		startReferenceServer(),
		launchBrowser(),
	])
	watched = await openPage(browser, program.url)
	page = watched.page
	await page.exposeFunction('countClick', () => {
		effort.clicks += 1
	})
	await page.exposeFunction('countField', (name: string) => effort.fields.add(name))
	await page.addInitScript(countEffort)
}, 120_000)
afterAll(async () => {
	await leaveBrowser()
	await Promise.all([program?.stop(), reference?.stop()])
})

const pictures = process.env.SIGNALBOX_PICTURES
const picture = async (name: string) => {
	if (pictures) await page.screenshot({ path: `${pictures}/first-hour-${name}.png`, fullPage: true })
}
const button = (name: string) => page.getByRole('button', { name, exact: true }).first()
/** Types into a field with the keyboard. Focusing the field does not count as a click. */
async function type(label: string, text: string): Promise<void> {
	await page.getByLabel(label, { exact: true }).focus()
	await page.keyboard.type(text)
}
const step = (title: string) => page.getByRole('listitem').filter({ hasText: title })

/** Connects a client with the URL and the key from the copied command line. */
async function connectAsShown(line: string): Promise<Client> {
	const url = line.match(/https?:\/\/\S+\/mcp\S*/)?.[0]
	const key = line.match(/Bearer (\S+?)["']/)?.[1]
	expect(url).toBeDefined()
	const client = new Client({ name: 'first-hour', version: '1.0.0' })
	const requestInit = { headers: { authorization: `Bearer ${key}` } }
	await client.connect(new StreamableHTTPClientTransport(new URL(url as string), { requestInit }))
	return client
}

test('the way from the setup link to the first governed call takes at most 8 clicks and 3 fields, and each step is confirmed', async () => {
	await page.goto(program.setupLink)
	await type('E-mail', 'ada@example.com')
	await type('Password', 'correct horse battery staple')
	await button('Create admin account').click()
	await page.getByRole('heading', { name: 'Getting started', level: 1 }).waitFor()

	await type('URL', reference.url)
	await button('Register and check').click()
	await step('Register an MCP server').getByText('healthy').waitFor()
	await step('Register an MCP server')
		.getByText(/^\d\d tools$/)
		.waitFor()
	await picture('server')

	await button('Create agent and key').click()
	await step('Create an agent that may use it').getByRole('link', { name: 'First agent' }).waitFor()
	expect(await page.getByTestId('secret').textContent()).toMatch(/^sk_service_/)
	await page.getByText('you won’t see it again').waitFor()
	await picture('key')

	await page.getByRole('tabpanel').getByRole('button', { name: 'Copy', exact: true }).first().click()
	const client = await connectAsShown(await page.evaluate<string>('navigator.clipboard.readText()'))
	const { tools } = await client.listTools()
	const echo = tools.find(({ name }) => name.endsWith('echo'))?.name as string
	// A refused call does not count as the first call, so the screen keeps waiting.
	await expect(client.callTool({ name: `${echo}-of-nobody`, arguments: {} })).rejects.toThrow()
	const calls = () =>
		page.evaluate<number>(
			`fetch('/v1/telemetry/spans?source=gateway&kind=tool_call&start=-1d').then((answer) => answer.json()).then(({ spans }) => spans.length)`,
		)
	await expect.poll(calls, { timeout: 15_000 }).toBe(1)
	await page.waitForResponse(
		(answer) => answer.url().includes('status=ok') && answer.url().includes('gateway'),
	)
	await page.getByText('Waiting for the first tool call…').waitFor()

	expect((await client.callTool({ name: echo, arguments: { message: 'hello' } })).isError).toBeFalsy()
	await client.close()
	await page.getByText('was called.').waitFor()
	await tick(page.getByRole('checkbox', { name: 'I have stored the key' }))
	await button('Done').click()
	await page.getByRole('link', { name: 'See the trace' }).click()
	await page.getByRole('tree', { name: 'Spans of the trace' }).getByRole('treeitem').first().waitFor()
	await page.getByText('hello').first().waitFor()

	console.log(`first hour: ${effort.clicks} clicks, fields ${[...effort.fields].join(', ')}`)
	expect(effort.clicks).toBeLessThanOrEqual(8)
	expect(effort.fields.size).toBeLessThanOrEqual(3)
	// Lower bounds, to detect a counter that does not work.
	expect(effort.clicks).toBeGreaterThanOrEqual(6)
	expect(effort.fields.size).toBe(3)
	expect(watched.faults).toEqual([])
})
