import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { owner } from '../../server/src/program/program.testing.ts'
import { pathOf } from './browser.ts'
import { type Json, type Objects, startObjects } from './objects-stage.ts'
import { type Screens, screenFaults } from './screen-faults.ts'

const dayMs = 86_400_000
/** Runs in the page; as text, because the checks are compiled without DOM types. */
const background = new Function('element', 'return getComputedStyle(element).backgroundColor') as () => string

let stage: Objects
let program: Objects['program']
let browser: Browser
let page: Page
let made: Objects['made']
let receiver: Objects['receiver']
let call: Objects['call']
let open: Objects['open']
let press: Objects['press']

beforeAll(async () => {
	stage = await startObjects()
	;({ program, browser, page, made, receiver, call, open, press } = stage)
})
afterAll(() => stage?.stop())

describe('toolsets', () => {
	test('show which agents gain access before saving, and grant it after saving', async () => {
		await open('/toolsets?create=true')
		await page.getByLabel('Name', { exact: true }).fill('Support desk')
		await press('Create toolset', page.getByRole('dialog'))
		await page.getByRole('heading', { name: 'Support desk', level: 1 }).waitFor()
		made.toolset = pathOf(page)
		await page.getByLabel('Add a server').selectOption({ label: 'everything' })
		await page.getByRole('checkbox', { name: 'echo', exact: true }).click()
		await page.getByLabel('Add a group').fill('support')
		await press('Add')
		await page.getByText('1 agent: +1 tool').waitFor()
		await page.getByRole('table', { name: 'Gained and lost access' }).getByText('support-bot').waitFor()
		await press('Save and apply')
		await page.getByText('1 agent with access by it').waitFor()
	})

	test('create a derived grant, which is read-only on the agent and names the toolset', async () => {
		await open(`/agents/${made.support}`)
		const card = page.getByRole('region', { name: 'Access: everything' })
		await card.getByText('This grant is derived from the').waitFor()
		expect(await card.getByRole('switch').count()).toBe(0)
		await page.getByRole('tab', { name: 'Effective access' }).click()
		const row = page.getByRole('row', { name: /^echo/ })
		await row.getByText('allowed').waitFor()
		await row.getByRole('link', { name: 'toolset Support desk' }).click()
		await page.getByRole('heading', { name: 'Support desk', level: 1 }).waitFor()
	})

	test('allow unsaved changes to be undone', async () => {
		await open(made.toolset)
		await press('Remove the group support')
		await page.getByText('1 agent: +0 tools').waitFor()
		await press('Undo')
		await page.getByText('Not saved yet').waitFor({ state: 'hidden' })
		await page.getByRole('button', { name: 'Remove the group support' }).waitFor()
	})

	test('what two people change at the same time: different fields are both kept, and the same field is a choice', async () => {
		const path = `/v1/toolsets/${made.toolset.split('/').at(-1)}`
		const theirs = (change: Json) => call('PATCH', path, change)
		const details = async () => {
			const { name, description } = await call<{ name: string; description: string }>('GET', path)
			return `${name}: ${description}`
		}
		await open(made.toolset)
		await page.getByLabel('Description').fill('Mine')
		await theirs({ name: 'Support team' })
		await press('Save')
		await expect.poll(details).toBe('Support team: Mine')
		await page.getByRole('heading', { name: 'Support team', level: 1 }).waitFor()

		await page.getByLabel('Description').fill('Mine, too')
		await page.getByLabel('Name', { exact: true }).fill('Support desk')
		await theirs({ description: 'Theirs' })
		await press('Save')
		await page.getByText('Their value: Theirs').waitFor()
		expect(await details()).toBe('Support team: Theirs')
		await press('Use theirs')
		expect(await page.getByLabel('Description').inputValue()).toBe('Theirs')
		await press('Save')
		await expect.poll(details).toBe('Support desk: Theirs')

		await page.getByLabel('Description').fill('Mine again')
		await theirs({ description: 'Theirs again' })
		await press('Save')
		await page.getByText('Their value: Theirs again').waitFor()
		await press('Save')
		await expect.poll(details).toBe('Support desk: Mine again')
	})
})

describe('agents', () => {
	test('a grant gets an expiry and a constraint, and a malformed constraint is reported', async () => {
		await call('POST', `/v1/mcp/servers/${made.server}/access`, {
			agent_uuid: made.other,
			access_mode: 'selected',
			allowed_tools: ['echo', 'get-sum'],
		})
		await open(`/agents/${made.other}`)
		const limits = page.getByRole('region', { name: 'Limits' })
		await limits.getByLabel('Ends').fill('2099-01-01T12:00')
		await limits.getByLabel('Limit a tool').selectOption('echo')
		const schema = limits.getByLabel('Arguments of echo must match')
		await schema.fill('{')
		expect(await limits.getByRole('button', { name: 'Save limits', exact: true }).isEnabled()).toBe(false)
		await schema.fill('{"propertiez": {}}')
		await press('Save limits', limits)
		await page.getByRole('alert').first().waitFor()
		await schema.fill('{"properties": {"message": {"maxLength": 3}}}')
		await press('Save limits', limits)
		await page.getByText('2 tools, until 1 Jan 2099, 1 limited').waitFor()
		await page.reload()
		await limits.getByLabel('Arguments of echo must match').waitFor()
	})

	test('what is chosen, current or on can be seen with forced colours, and only the screen itself is the current page', async () => {
		const card = page.getByRole('region', { name: 'Access: everything' })
		const navigation = page.getByRole('navigation', { name: 'Main' })
		const marks = {
			screen: navigation.getByRole('link', { name: 'Agents' }),
			tab: page.getByRole('tab', { name: /^Access/ }),
			choice: card.locator('label', { hasText: 'Selected tools' }),
			state: card.getByRole('switch'),
		}
		const others = {
			screen: navigation.getByRole('link', { name: 'Spend' }),
			tab: page.getByRole('tab', { name: 'Usage' }),
			choice: card.locator('label', { hasText: 'All tools' }),
			state: card.getByRole('switch').locator('span'),
		}
		await page.emulateMedia({ forcedColors: 'active' })
		const colourOf = (mark: Locator) => mark.evaluate(background)
		for (const [name, mark] of Object.entries(marks))
			expect(await colourOf(mark), name).not.toBe(await colourOf(others[name as keyof typeof others]))
		await page.emulateMedia({ forcedColors: 'none' })
		expect(await page.getByRole('main').locator('a[aria-current]').count()).toBe(0)
	})

	test('what was entered in a dialog is still there after the session has ended and the person has signed in again', async () => {
		await open('/agents?create=true')
		const dialog = page.getByRole('dialog', { name: 'Create an agent' })
		await dialog.getByLabel('Name').fill('night-bot')
		await dialog.getByLabel('Description').fill('Works at night')
		await stage.watched.context.clearCookies()
		await press('Create agent', dialog)
		const again = page.getByRole('dialog', { name: 'Your session has ended' })
		await again.getByLabel('E-mail').fill(owner.email)
		await again.getByLabel('Password').fill('wrong')
		await press('Sign in', again)
		await again.getByText('E-mail or password is wrong').first().waitFor()
		await again.getByLabel('Password').fill(owner.password)
		await press('Sign in', again)
		await again.waitFor({ state: 'hidden' })
		expect(await dialog.getByLabel('Description').inputValue()).toBe('Works at night')
		await press('Create agent', dialog)
		await page.getByRole('heading', { name: 'night-bot', level: 1 }).waitFor()
	})

	test('groups and models are selected', async () => {
		await open(`/agents/${made.other}?tab=settings`)
		await page.getByLabel('Add a group').fill('Release Team')
		await page.getByText('between them . _ or -').waitFor()
		await page.getByLabel('Add a group').fill('release.eu')
		await press('Add')
		const groups = page.locator('section', {
			has: page.getByRole('heading', { name: 'Groups', exact: true }),
		})
		await press('Save', groups.getByRole('group').or(groups))
		await page.getByRole('link', { name: 'release.eu' }).waitFor()
		const models = page.locator('section', {
			has: page.getByRole('heading', { name: 'Models', exact: true }),
		})
		await models.getByRole('radio', { name: 'Selected models' }).click()
		await models.getByRole('button', { name: 'Save' }).click()
		await expect
			.poll(async () => (await call<{ model_access: Json }>('GET', `/v1/agents/${made.other}`)).model_access)
			.toEqual({ mode: 'selected', connections: [] })
	})

	test('the Connect tab shows complete commands and links for clients', async () => {
		await open(`/agents/${made.support}?tab=connect`)
		await page.getByText('claude mcp add --transport http').waitFor()
		await page.getByRole('tab', { name: 'Cursor' }).click()
		const link = await page.getByRole('link', { name: 'Add to Cursor' }).getAttribute('href')
		expect(link).toMatch(/^cursor:\/\/anysphere/)
		await page.getByLabel('What it connects to').selectOption({ label: 'Only everything' })
		await page.getByRole('tab', { name: 'Claude Code' }).click()
		await page.getByText(`${program.url}/mcp-key/everything`).first().waitFor()
	})
})

test('a model connection gets a new key and the prices of another provider, and keeps its other settings', async () => {
	const body = {
		name: 'local',
		provider: 'openai_compatible',
		base_url: 'https://llm.example/v1',
		key: 'sk-old-0123456789-abcdefghij-0001',
	}
	const { id } = await call<{ id: string }>('POST', '/v1/provider-keys', body)
	await open('/connections')
	await page.reload()
	await page.getByRole('link', { name: 'local', exact: true }).click()
	const dialog = page.getByRole('dialog', { name: 'Change local' })
	await dialog.getByLabel('Prices').selectOption({ label: 'Groq' })
	await dialog.getByRole('checkbox', { name: 'Replace the key' }).click()
	await dialog.getByLabel('Provider key').fill('sk-new-0123456789-abcdefghij-0002')
	await dialog.getByRole('checkbox', { name: 'Record messages' }).click()
	await press('Save', dialog)
	await page.getByText('OpenAI-compatible, prices of Groq').waitFor()
	expect(await call<Json>('GET', `/v1/provider-keys/${id}`)).toMatchObject({
		...{ name: 'local', priced_as: 'groq', last4: '0002', record_bodies: false, inject_usage: false },
		...{ base_url: 'https://llm.example/v1', status: 'active' },
	})
})

describe('the access review', () => {
	test('shows which recorded calls would have been denied without the access', async () => {
		const { key } = await call<{ key: string }>('POST', `/v1/agents/${made.other}/keys`, { name: 'test' })
		await stage.callTool(key, 'get-sum', { a: 1, b: 2 })
		await open('/access-review?tab=simulator')
		await page.getByLabel('Agent', { exact: true }).selectOption({ label: 'release-bot' })
		await page.getByLabel('Server', { exact: true }).selectOption({ label: 'everything' })
		await press('Propose to remove the access')
		await page.getByText('access removed').waitFor()
		await expect
			.poll(
				async () => {
					await press('Simulate')
					await page.getByText(/recorded calls/).waitFor()
					return page
						.getByText(/newly denied,/)
						.first()
						.textContent()
				},
				{ timeout: 20_000, interval: 1000 },
			)
			.toMatch(/\b[1-9]\d* newly denied/)
		await page.getByRole('row', { name: /newly denied.*get-sum/ }).waitFor()
	})

	test('suggests removing unused tools, applies the suggestion and reverts it', async () => {
		// The shared program may be in a transaction for another test file.
		const store = new DatabaseSync(join(program.dataDir, 'control.db'), { timeout: 10_000 })
		// The review ignores grants younger than its window of a month, so make this one older.
		const age =
			'UPDATE access_grants SET created_at = created_at - ?, updated_at = updated_at - ? WHERE agent_id = ?'
		store.prepare(age).run(40 * dayMs, 40 * dayMs, made.other)
		store.close()
		await open('/access-review')
		const name = 'Remove 1 unused tool of release-bot on everything'
		const card = page.getByRole('region', { name })
		await press('Evidence', card)
		await card.getByRole('table', { name: 'Tools that were used' }).getByText('get-sum').waitFor()
		await press('Apply', card)
		await card.waitFor({ state: 'hidden' })
		await page.getByRole('radio', { name: 'Applied' }).click()
		await press('Put back', page.getByRole('region', { name }))
		await page.getByText('No applied suggestions').waitFor()
		const grant = await call('GET', `/v1/mcp/servers/${made.server}/access/${made.other}`)
		expect(grant.allowed_tools).toEqual(['echo', 'get-sum'])
	})
})

describe('webhooks', () => {
	test('a webhook is created, its secret is shown once, and a signed test event arrives', async () => {
		await open('/webhooks?create=true')
		const dialog = page.getByRole('dialog')
		await page.getByLabel('URL', { exact: true }).fill(receiver.url)
		await dialog.getByRole('checkbox', { name: 'Agents', exact: true }).click()
		await press('Create webhook', dialog)
		expect(await page.getByTestId('secret').textContent()).toMatch(/^whsec_/)
		await dialog.getByRole('checkbox').click()
		await press('Done', dialog)
		await page.getByRole('link', { name: receiver.url }).click()
		await press('Send a test event')
		await page.getByRole('row', { name: /webhook\.test delivered/ }).waitFor()
		expect(receiver.messages[0]?.headers['webhook-signature']).toMatch(/^v1,/)
		made.webhook = pathOf(page)
	})

	test('a delivery is inspected and sent again with the same id', async () => {
		await press(/^Details/)
		const dialog = page.getByRole('dialog')
		await dialog.getByText('"type": "webhook.test"').waitFor()
		await press('Send again', dialog)
		await dialog.waitFor({ state: 'hidden' })
		await expect.poll(() => receiver.messages.length, { timeout: 15_000 }).toBe(2)
		const [first, second] = receiver.messages
		expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
	})

	test('the webhook gets a new secret and is turned off', async () => {
		await page.getByRole('tab', { name: 'Settings' }).click()
		await press('Create a new secret')
		const dialog = page.getByRole('dialog')
		expect(await page.getByTestId('secret').textContent()).toMatch(/^whsec_/)
		await dialog.getByRole('checkbox').click()
		await press('Done', dialog)
		await page.getByText(/The secret before signs too until/).waitFor()
		await page.getByRole('switch', { name: 'Webhook is in use' }).click()
		await page.getByText('Nothing is sent.').waitFor()
		expect(await page.getByRole('button', { name: 'Send a test event' }).isEnabled()).toBe(false)
	})
})

describe('the settings of a server', () => {
	test('set what is recorded of calls and the protocol revision, and keep the rest of the configuration', async () => {
		const path = `/v1/mcp/servers/${made.server}`
		await call('PATCH', path, { configuration: { team: 'blue' } })
		await open(`/servers/${made.server}?tab=settings`)
		const configured = async () => (await call('GET', path)).configuration
		const arguments_ = page.getByRole('switch', { name: 'Record arguments of calls' })
		await arguments_.click()
		await expect.poll(configured).toEqual({ team: 'blue', capture_arguments: false })
		await page.getByRole('switch', { name: 'Cap protocol version at 2025-11-25' }).click()
		await expect.poll(configured).toMatchObject({ capture_arguments: false, protocol_era: 'legacy' })
		await arguments_.click()
		await expect.poll(configured).toEqual({ team: 'blue', protocol_era: 'legacy' })
		// Somebody else changes another key while this change is on its way.
		let changes = 0
		await page.route(`**${path}`, async (route) => {
			if (route.request().method() === 'PATCH' && changes++ === 0)
				await call('PATCH', path, { configuration: { team: 'red', protocol_era: 'legacy' } })
			await route.continue()
		})
		await arguments_.click()
		await expect.poll(configured).toEqual({ team: 'red', protocol_era: 'legacy', capture_arguments: false })
		await page.unroute(`**${path}`)
	})
})

describe('audit and limits', () => {
	test('audit records are filtered through the URL, and their hash chain is verified', async () => {
		await open('/audit')
		await page.getByText(/chain verified: \d+ records/).waitFor()
		await page.getByLabel('Action').selectOption({ label: 'Toolsets' })
		await page.getByRole('cell', { name: 'toolsets.create', exact: true }).waitFor()
		expect(page.url()).toContain('action=toolsets')
		expect(await page.getByRole('cell', { name: 'agents.create' }).count()).toBe(0)
		const download = page.waitForEvent('download')
		await press('Export')
		await page.getByRole('menuitem', { name: 'CSV' }).click()
		expect((await download).suggestedFilename()).toMatch(/\.csv$/)
	})

	test('a limit is set for the workspace, and reset to the value of the instance', async () => {
		await open('/limits')
		await page.getByLabel('Requests: Platform API').fill('500')
		await press('Save')
		await page.getByText('this workspace').waitFor()
		await press('Follow the instance')
		await page.getByText('this workspace').waitFor({ state: 'hidden' })
	})
})

test('the tests caused no content policy violations, no requests to other hosts and no script errors', () => {
	expect(stage.watched.faults).toEqual([])
})

test('the screens are accessible, fit their width, and comply with the content policy', async () => {
	// Names without a space, as long as they may be.
	const longName = 'W'.repeat(100)
	const { uuid } = await stage.call<{ uuid: string }>('POST', '/v1/agents', { name: longName })
	await stage.call('POST', '/v1/access-requests', { agent: uuid, server: made.server, reason: longName })
	const screens: Screens = [
		[`/agents/${uuid}`, longName],
		['/access-requests', 'Access requests'],
		['/servers?register=true', null],
		...['playground', 'health', 'access', 'settings'].map(
			(tab) => [`/servers/${made.server}?tab=${tab}`, 'everything'] as const,
		),
		[`/agents/${made.other}`, 'release-bot'],
		...['tools', 'connect', 'settings'].map(
			(tab) => [`/agents/${made.support}?tab=${tab}`, 'support-bot'] as const,
		),
		['/agents?group=support', 'Agents'],
		['/toolsets', 'Toolsets'],
		['/toolsets?create=true', null],
		[made.toolset, 'Support desk'],
		['/access-review', 'Access review'],
		['/access-review?tab=simulator', 'Access review'],
		['/audit?action=toolsets.*', 'Audit'],
		['/limits', 'Limits'],
		['/webhooks', 'Webhooks'],
		['/webhooks?create=true', null],
		[made.webhook, receiver.url],
		[`${made.webhook}?tab=settings`, receiver.url],
	]
	expect(await screenFaults(browser, program.url, screens, stage.session)).toEqual([])
})
