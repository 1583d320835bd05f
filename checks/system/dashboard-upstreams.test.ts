import { UnauthorizedError } from '@modelcontextprotocol/client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPage } from './browser.ts'
import { describeLimits } from './limits-screens.ts'
import { type OauthClient, startOauthClient } from './oauth-client.ts'
import { fill, heading, operator, press, signIn } from './people-stage.ts'
import { faultsOfLooks, type Screens, screenFaults } from './screen-faults.ts'
import { startUpstreams, testingProgram, type Upstreams } from './upstreams-stage.ts'

let stage: Upstreams
let page: Page
let call: Upstreams['call']
let open: Upstreams['open']
/** Ids of the objects that the tests create. */
const made = { program: '', missing: '', upstream: '', agent: '' }
const clients: OauthClient[] = []

beforeAll(async () => {
	stage = await startUpstreams()
	;({ page, call, open } = stage)
})
afterAll(async () => {
	for (const client of clients) client.close()
	await stage?.stop()
})

const panel = (title: string | RegExp) =>
	page.locator('section', { has: page.getByRole('heading', { name: title, level: 2 }) })

async function registerProgram(name: string, command: string, args: string, env = ''): Promise<string> {
	await open('/servers?register=true')
	await page.getByRole('tab', { name: 'Program (command)' }).click()
	await fill(page, 'Name', name)
	await fill(page, 'Command', command)
	await page.getByLabel('Arguments').fill(args)
	await page.getByLabel('Environment').fill(env)
	await press(page, 'Register')
	const link = page.getByRole('link', { name: 'Open the server' })
	await link.waitFor()
	return (await link.getAttribute('href'))?.match(/servers\/([\w-]+)/)?.[1] ?? ''
}

/** Accepts a program: by a click if this machine has a sandbox, otherwise by typing the sentence. Returns how the program is isolated. */
async function accept(serverId: string): Promise<'in a sandbox' | 'without a sandbox'> {
	const { sandbox, acceptance_sentence } = await call<{ sandbox: string; acceptance_sentence: string }>(
		'GET',
		`/v1/mcp/servers/${serverId}/program`,
	)
	if (sandbox !== 'none') {
		await press(page, 'Accept and start')
		return 'in a sandbox'
	}
	await page.getByLabel('The sentence, exactly as shown').fill(acceptance_sentence)
	await press(page, 'Accept in writing')
	return 'without a sandbox'
}

describe('a hosted program', () => {
	test('is registered by its command, starts when it is accepted, and shows its isolation', async () => {
		made.program = await registerProgram('Files', 'node', testingProgram, 'API_KEY=CANARY-of-the-screen')
		await page.getByText('The program: may not start').waitFor()
		const isolation = await accept(made.program)
		await page.getByText('The program: running').waitFor()
		await page.getByRole('link', { name: 'Open the server' }).click()
		await heading(page, 'Files')
		await panel(/^Program/)
			.getByText('1.0 GiB of memory, 256 processes')
			.waitFor()
		await panel(/^Isolation/)
			.getByText(isolation, { exact: true })
			.waitFor()
		await page.getByRole('list', { name: 'Stored variables' }).getByText('API_KEY').waitFor()
	})

	test('has a log that can be followed, searched and copied and contains no values of its environment', async () => {
		await page.getByRole('tab', { name: 'Log' }).click()
		const log = page.getByRole('region', { name: 'Log of the program' })
		await log.getByText('notifications/initialized').first().waitFor()
		expect(await log.textContent()).not.toContain('CANARY')
		await page.getByLabel('Find in the log').fill('started')
		await log.getByText('notifications/initialized').first().waitFor({ state: 'hidden' })
		const lines = await log.getByRole('listitem').allTextContents()
		// Tool listings for clients with capabilities start a process each, so there may be several lines.
		expect(lines.length).toBeGreaterThan(0)
		for (const line of lines) expect(line).toContain('The program started')
		await press(page, 'Copy lines')
		expect(await page.evaluate<string>('navigator.clipboard.readText()')).toContain('The program started')
	})

	test('is restarted, stopped and started', async () => {
		await page.getByRole('tab', { name: 'Program' }).click()
		const pid = async () => (await panel(/^Program/).textContent())?.match(/Process(\d+)/)?.[1]
		const before = await pid()
		await press(panel(/^Program/), 'Restart')
		await expect.poll(async () => Number(await pid()), { timeout: 30_000 }).toBeGreaterThan(Number(before))
		await press(panel(/^Program/), 'Stop')
		await panel(/^Program/)
			.getByText('switched off')
			.waitFor()
		await press(panel(/^Program/), 'Start')
		await panel(/^Program/)
			.getByText('running', { exact: true })
			.waitFor()
	})

	test('gets a list of allowed hosts, and an invalid host name is reported', async () => {
		const hosts = panel(/^Isolation/).getByLabel('Allowed hosts')
		await hosts.fill('https://api.example.com')
		await page.getByText('https://api.example.com is no host name').waitFor()
		await hosts.fill('api.example.com\n*.example.org:8443')
		await press(page, 'Save hosts')
		const read = () => call<{ allowed_hosts: string[] }>('GET', `/v1/mcp/servers/${made.program}/program`)
		await expect
			.poll(async () => (await read()).allowed_hosts)
			.toEqual(['api.example.com', '*.example.org:8443'])
	})

	test('runs without a sandbox only after an owner accepts that in writing, which can be withdrawn', async () => {
		// This machine may have a sandbox, so the responses are changed to report none. The acceptance goes to the real endpoint.
		let isAccepted = false
		let requiredSentence = ''
		await page.route('**/program', async (route) => {
			const response = await route.fetch()
			const real = await response.json()
			const withoutSandbox = { sandbox: 'none', sandbox_missing: 'not installed: bwrap' }
			const json = { ...real, ...withoutSandbox, accepted_without_sandbox: isAccepted ? real.accepted : null }
			requiredSentence = real.acceptance_sentence
			await route.fulfill({ response, json })
		})
		await page.route('**/program/acceptance', (route) => {
			isAccepted = route.request().method() === 'POST'
			return route.continue()
		})
		await open(`/servers/${made.program}?tab=program`)
		await page.getByText('This machine offers none: not installed: bwrap').waitFor()
		const accept = page.getByRole('button', { name: 'Accept in writing' })
		const sentence = page.getByLabel('The sentence, exactly as shown')
		await sentence.fill('yes')
		expect(await accept.isDisabled()).toBe(true)
		await sentence.fill(requiredSentence)
		await accept.click()
		await page.getByText(`${operator.email} accepted in writing`).waitFor()
		const { audit } = await call<{ audit: unknown[] }>(
			'GET',
			'/v1/audit?action=servers.accept-without-sandbox',
		)
		expect(JSON.stringify(audit)).toContain('I accept that the program of Files')
		await press(page, 'Withdraw')
		await press(page.getByRole('dialog'), 'Withdraw')
		await sentence.waitFor()
		await page.unroute('**/program/acceptance')
		await page.unroute('**/program')
	})

	test('shows why its package cannot be installed, and the installation can be retried', async () => {
		made.missing = await registerProgram('Missing', 'npx', '-y\nno-such-package@1.0.0')
		await page.getByText('The program: not installed').waitFor()
		await open(`/servers/${made.missing}?tab=program`)
		await panel(/^Program/)
			.getByText('no-such-package')
			.first()
			.waitFor()
		await press(page, 'Install')
		await panel(/^Program/)
			.getByText('not installed', { exact: true })
			.waitFor()
	})
})

describe('the credentials of a server', () => {
	test('can be sealed headers, of which only the names are shown', async () => {
		const { url } = stage.upstream
		made.upstream = String((await call('POST', '/v1/mcp/servers', { name: 'Protected', url })).id)
		await open(`/servers/${made.upstream}?tab=credentials`)
		await page.getByText('The server gets requests without a credential').waitFor()
		await page.getByRole('radio', { name: 'Headers' }).click()
		await page.getByLabel('Headers sent to the server').fill('X-Team: CANARY-header')
		await press(page, 'Save headers')
		await page.getByRole('list', { name: 'Stored headers' }).getByText('x-team', { exact: false }).waitFor()
		expect(await page.content()).not.toContain('CANARY-header')
	})

	test('can be OAuth client credentials, which need a client secret', async () => {
		await page.getByRole('radio', { name: 'OAuth' }).click()
		await page.getByRole('radio', { name: 'Client credentials' }).click()
		await page.getByLabel('Authorization server').fill(stage.authorization.issuer)
		await fill(page, 'Client id', 'machine')
		await fill(page, 'Client secret', 'a secret of the machine')
		await press(page, 'Save OAuth')
		await page.getByText('One is stored. Leave empty to keep it.').waitFor()
		await press(page, 'Check now')
		await page.getByRole('tab', { name: /^Tools/ }).click()
		await press(page, 'Refresh')
		await page.getByText('whose', { exact: true }).waitFor()
	})

	test("can be each user's own OAuth tokens, after consent in the browser", async () => {
		await open(`/servers/${made.upstream}?tab=credentials`)
		await page.getByRole('radio', { name: 'Authorization code' }).click()
		await page.getByLabel('The token belongs to').selectOption({ label: 'Each person' })
		await page.getByRole('radio', { name: 'Automatic', exact: true }).click()
		await page.getByLabel('Authorization server').fill('')
		await press(page, 'Save OAuth')
		await page.getByText('Nobody is connected').waitFor()
		await page.getByRole('link', { name: 'Connect your account' }).click()
		await page.getByText(`for you, ${operator.email}, and for nobody else`).waitFor()
		await press(page, 'Continue')
		await stage.agree(page)
		await page.getByText('Protected is connected').waitFor()
		await page.getByRole('link', { name: 'To the server' }).click()
		const row = page.getByRole('table', { name: 'Connections' }).getByRole('row', { name: /^You/ })
		await row.getByText('connected').waitFor()
	})

	test('report a failed authorization, a server that needs no connection, and an unknown server', async () => {
		await open('/connect/failed?error=authorization_invalid')
		await page.getByText('The server is not connected').waitFor()
		await open(`/connect/${made.program}`)
		await page.getByText('Files needs no connection').waitFor()
		await open('/connect/01900000-0000-7000-8000-000000000000')
		await page.getByRole('alert').waitFor()
	})
})

describe('a client that connects by OAuth', () => {
	const newClient = async () => {
		const client = await startOauthClient(`${stage.program.url}/mcp`)
		clients.push(client)
		await expect(client.connect()).rejects.toThrow(UnauthorizedError)
		return client
	}

	test('receives access_denied when the user denies it', async () => {
		const client = await newClient()
		await page.goto(client.asked())
		await heading(page, 'Connect Stock client?')
		expect(await faultsOfLooks(page, '/authorize')).toEqual([])
		await page.getByText('A new agent has no grants').waitFor()
		await press(page, 'Deny')
		expect((await client.answer()).get('error')).toBe('access_denied')
	})

	test("lets a signed-out user sign in during authorization, and calls with that user's token", async () => {
		const client = await newClient()
		const other = await openPage(stage.browser, stage.program.url)
		await other.page.goto(client.asked())
		await heading(other.page, 'Connect a client')
		await other.page.getByRole('link', { name: 'Sign in' }).click()
		await signIn(other.page, operator)
		await heading(other.page, 'Connect Stock client?')
		await other.page.getByText('a program on this computer').waitFor()
		await press(other.page, 'Allow')
		await client.finish(await client.answer())
		await other.page.getByText('Back at the client').waitFor()
		await other.context.close()
		await open('/agents')
		const { agents } = await call<{ agents: { uuid: string }[] }>('GET', '/v1/agents')
		made.agent = agents[0]?.uuid ?? ''
		const grant = { agent_uuid: made.agent, access_mode: 'all' }
		await call('POST', `/v1/mcp/servers/${made.upstream}/access`, grant)
		const connected = await client.connect()
		const answer = await connected.callTool({ name: 'protected__whose', arguments: {} })
		const token = JSON.stringify(answer.content).match(/Bearer ([\w-]+)/)?.[1] ?? ''
		expect(await stage.authorization.isGood(token)).toBe(true)
		await connected.close()
	})

	test('is listed on the account page and can be disconnected there', async () => {
		await open('/account')
		const clientsTable = page.getByRole('table', { name: 'Connected clients' })
		await clientsTable.getByRole('row', { name: /Stock client/ }).waitFor()
		await press(clientsTable, 'Disconnect Stock client')
		await press(page.getByRole('dialog'), 'Disconnect')
		await page.getByText('No client acts for you').waitFor()
		await expect(clients[1]?.connect()).rejects.toThrow(UnauthorizedError)
	})

	test('gets an error for a missing or forged authorization request', async () => {
		await open('/authorize')
		await page.getByText('No authorization request').waitFor()
		await page.goto('about:blank')
		await open('/authorize#forged')
		await page.getByRole('alert').waitFor()
	})
})

describeLimits(() => ({ page, open, call, panel, made }))

test('the screens are accessible and fit their width', async () => {
	const screens: Screens = [
		[`/servers/${made.program}?tab=program`, 'Files'],
		[`/servers/${made.program}?tab=log`, 'Files'],
		[`/servers/${made.upstream}?tab=credentials`, 'Protected'],
		[`/servers/${made.upstream}?tab=settings`, 'Protected'],
		[`/connect/${made.upstream}`, 'Connect a server'],
		['/account', 'Your account'],
	]
	expect(await screenFaults(stage.browser, stage.program.url, screens, await stage.session())).toEqual([])
})

test('the tests caused no content policy violations, no requests to other hosts and no script errors', () => {
	const outside = clients.map((client) => new URL(client.asked()).searchParams.get('redirect_uri') ?? '-')
	expect(stage.faults().filter((fault) => !outside.some((uri) => fault.includes(uri)))).toEqual([])
})
