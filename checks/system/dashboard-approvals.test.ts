import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { owner } from '../../server/src/program/program.testing.ts'
import { type ApprovalStage, answerOf, changedRun, run, startApprovals, wipe } from './approvals-stage.ts'
import { type Screens, screenFaults } from './screen-faults.ts'

let stage: ApprovalStage
let page: Page
let open: ApprovalStage['open']
let press: ApprovalStage['press']
let call: ApprovalStage['call']

beforeAll(async () => {
	stage = await startApprovals()
	;({ page, open, press, call } = stage)
})
afterAll(() => stage?.stop())

const callWipe = (path: string) => answerOf(stage.support, 'tools__wipe', { path })
const waiting = () => page.getByRole('list', { name: 'Waiting calls' })
const cards = () => waiting().getByRole('listitem')
const waitForEmptyList = () => page.getByRole('heading', { name: 'Nothing to approve' }).waitFor()
const navLink = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })

describe('a tool that needs approval', () => {
	test('is selected in the grant, with its approvers and the time that a call waits', async () => {
		await open(`/agents/${stage.made.support}`)
		const limits = page.getByRole('region', { name: 'Limits' })
		await limits.getByLabel('Limit a tool').selectOption('wipe')
		await limits.getByRole('checkbox', { name: 'Ask a person before wipe is called' }).click()
		await limits.getByLabel('Seconds a call waits').fill('90')
		await press('Save limits', limits)
		await page.getByText('2 tools, 1 limited').waitFor()
		const { access } = await call<{ access: { grant: object }[] }>(
			'GET',
			`/v1/agents/${stage.made.support}/access`,
		)
		expect(access[0]?.grant).toMatchObject({
			approval: { wipe: 'ask' },
			approver: 'workspace',
			approval_wait_ms: 90_000,
		})
	})

	test('has its call listed live, approved with the keyboard only, and executed', async () => {
		await open('/approvals')
		await waitForEmptyList()
		const answer = callWipe('/tmp/old')
		await waiting().getByText('"/tmp/old"').waitFor()
		await navLink('Approvals 1 waiting').waitFor()
		await page.keyboard.press('a')
		await page.getByRole('form', { name: 'Approve wipe by support-bot' }).waitFor()
		await page.keyboard.press('Enter')
		expect(await answer).toBe('ran')
		await waitForEmptyList()
		await page.getByRole('table', { name: 'Calls that needed approval' }).getByText('executed').waitFor()
		await navLink('Approvals').waitFor()
	})

	test('has its call denied with a reason that the agent receives', async () => {
		const answer = callWipe('/home')
		await waiting().getByText('"/home"').waitFor()
		await page.keyboard.press('d')
		await page.keyboard.type('not on a Friday')
		await press('Deny the call')
		expect(await answer).toContain('not on a Friday')
		await waitForEmptyList()
	})

	test('j and k select one of several calls, and Escape cancels a decision', async () => {
		const answers = [callWipe('/first'), callWipe('/second')]
		await expect.poll(() => cards().count()).toBe(2)
		const chosen = () =>
			waiting()
				.locator('[aria-current]')
				.getByText(/first|second/)
		await page.keyboard.press('j')
		const first = await chosen().textContent()
		await page.keyboard.press('j')
		expect(await chosen().textContent()).not.toBe(first)
		await page.keyboard.press('k')
		expect(await chosen().textContent()).toBe(first)
		await page.keyboard.press('d')
		await page.getByRole('form').waitFor()
		await page.keyboard.press('Escape')
		await page.getByRole('form').waitFor({ state: 'hidden' })
		for (const left of [1, 0]) {
			await page.keyboard.press('a')
			await page.keyboard.press('Enter')
			await expect.poll(() => cards().count()).toBe(left)
		}
		expect(await Promise.all(answers)).toEqual(['ran', 'ran'])
	})

	test('is approved for a period on the page of the call, and the approval is revoked', async () => {
		const answer = callWipe('/a')
		await waiting().getByRole('link', { name: 'wipe' }).click()
		await page.getByRole('heading', { name: 'wipe', level: 1 }).waitFor()
		await press('Approve…')
		await page.getByRole('radio', { name: /^All calls of wipe by support-bot/ }).check()
		await page.getByLabel('Minutes').fill('5')
		await press('Approve for a time')
		expect(await answer).toBe('ran')
		await page.getByText(/All calls of wipe by support-bot are approved by .* until/).waitFor()
		expect(await callWipe('/b')).toBe('ran')
		await press('Revoke')
		await press('Revoke approval', page.getByRole('dialog'))
		await page.getByText('was revoked').waitFor()
		const asked = callWipe('/c')
		await open('/approvals')
		await waiting().getByText('"/c"').waitFor()
		await page.keyboard.press('d')
		await press('Deny the call')
		expect(await asked).toContain('denied')
	})
})

describe('a tool that an agent has no access to', () => {
	test('is requested at the URL in the refusal, and granted with one click', async () => {
		const refusal = await answerOf(stage.release, 'tools__run', { path: '/x' })
		const address = refusal.match(/http\S+\/ui\/w\/[^/]+(\/access-requests\S+)/)?.[1] ?? ''
		await open(address)
		const form = page.getByRole('form', { name: 'Request access' })
		await expect.poll(() => form.getByLabel('Server').inputValue(), { timeout: 10_000 }).toBe(stage.serverId)
		expect(await form.getByLabel('Agent').inputValue()).toBe(stage.made.other)
		expect(await form.getByLabel('Tool').inputValue()).toBe('run')
		await form.getByLabel('Reason').fill('for the weekly report')
		await press('Request access', form)
		await form.waitFor({ state: 'hidden' })
		await navLink('Access requests 1 waiting').waitFor()
		await page.getByText('“for the weekly report”').waitFor()
		await press('Grant run of tools for release-bot')
		await page.getByText('granted', { exact: true }).waitFor()
		await expect.poll(() => answerOf(stage.release, 'tools__run', { path: '/x' })).toBe('ran')
	})

	test('can be requested by a viewer, who sees who decides', async () => {
		const viewer = await stage.openAsViewer()
		const ui = (path: string) => viewer.page.goto(`${stage.program.url}/ui${path}`)
		await ui(`/access-requests?agent=${stage.made.other}&tool=wipe`)
		const form = viewer.page.getByRole('form', { name: 'Request access' })
		await form.getByText('The agent named the tool wipe, but not its server.').waitFor()
		await form.getByLabel('Server').selectOption({ label: 'tools' })
		await form.getByRole('button', { name: 'Request access' }).click()
		await viewer.page.getByText('an admin decides', { exact: true }).waitFor()
		await ui('/approvals')
		await viewer.page.getByText(`${owner.email} can decide about calls.`).waitFor()
		expect(viewer.faults).toEqual([])
		await viewer.context.close()
		await open('/access-requests')
		await press('Decline wipe of tools for release-bot')
		await page.getByText('declined', { exact: true }).waitFor()
	})
})

describe('a tool whose definition was changed by its server', () => {
	const review = (name = 'run') => stage.load(`/servers/${stage.serverId}/definitions?tool=${name}`)
	const callRun = () => answerOf(stage.support, 'tools__run', { path: '/x' })

	test('is suspended, shows the differences, and works once it is approved', async () => {
		await review()
		await page.getByRole('radio', { name: /^Suspend what changed/ }).check()
		await press('Save')
		await page.getByText('the tools were evaluated again').waitFor()
		await navLink('MCP servers').click()
		await stage.offer(changedRun, wipe)
		await navLink('Servers 1 waiting').waitFor()
		await page.getByRole('link', { name: /^run/ }).click()
		const refusal = await callRun()
		expect(refusal).toContain(`/servers/${stage.serverId}/definitions`)
		await page.getByText('Calls by the first definition may be refused').waitFor()
		const description = page.getByRole('region', { name: 'Description: changed' })
		expect(await description.locator('ins').textContent()).toContain('First read the secrets')
		await page.getByRole('list', { name: 'Flags' }).getByText('commands the agent').waitFor()
		await page.keyboard.press('a')
		await page.keyboard.press('Enter')
		await page.getByText('Agents see the current definition.').waitFor()
		expect(await callRun()).toBe('ran')
		await navLink('MCP servers').waitFor()
	})

	test('cannot be approved unseen when it changes again during the review', async () => {
		await stage.offer({ ...run, description: 'A' }, wipe)
		await review()
		await page
			.getByRole('region', { name: 'Description: changed' })
			.getByText('added: A', { exact: true })
			.waitFor()
		await stage.offer({ ...run, description: 'B' }, wipe)
		await page.getByText('The server changed this tool while you were viewing it').waitFor()
		expect(await page.getByRole('button', { name: 'Approve definition' }).count()).toBe(0)
		await press('Show the present definition')
		await page
			.getByRole('region', { name: 'Description: changed' })
			.getByText('added: B', { exact: true })
			.waitFor()
		await page.getByRole('button', { name: 'Approve definition' }).waitFor()
	})

	test('reports a decision on an outdated definition and does not apply it', async () => {
		await page.route('**/v1/events?*', (route) => route.abort())
		await review()
		await page.getByRole('button', { name: 'Approve definition' }).waitFor()
		await stage.offer({ ...run, description: 'C' }, wipe)
		await press('Approve definition')
		await page.getByText('The server changed this tool while you were viewing it').waitFor()
		expect(await callRun()).toContain('until it is approved')
		await page.unroute('**/v1/events?*')
		await press('Show the present definition')
		await press('Reject definition')
		await page.getByText('Somebody rejected the definition.').waitFor()
	})
})

test('the tests caused no content policy violations, no requests to other hosts and no script errors', () => {
	expect(stage.watched.faults).toEqual([])
})

test('the screens for approvals and reviews are accessible, fit their width, and comply with the content policy', async () => {
	const asked = Promise.allSettled([callWipe('/x/1'), callWipe('/x/2')])
	await stage.offer({ ...changedRun, description: 'Hidden\u200b once more' }, wipe)
	const list = await call<{ approvals: { id: string; status: string }[] }>('GET', '/v1/approvals')
	const screens: Screens = [
		['/approvals', 'Approvals'],
		...list.approvals.slice(0, 4).map(({ id }) => [`/approvals/${id}`, 'wipe'] as const),
		['/access-requests', 'Access requests'],
		[`/access-requests?agent=${stage.made.other}&tool=tools__wipe`, 'Access requests'],
		['/servers', 'MCP servers'],
		[`/servers/${stage.serverId}`, 'tools'],
		[`/servers/${stage.serverId}/definitions`, 'Tool definitions'],
		[`/servers/${stage.serverId}/definitions?tool=run`, 'Tool definitions'],
		[`/servers/${stage.serverId}?tab=access`, 'tools'],
		[`/agents/${stage.made.support}`, 'support-bot'],
	]
	expect(await screenFaults(stage.browser, stage.program.url, screens, stage.session)).toEqual([])
	for (const { id } of (await call<{ approvals: { id: string }[] }>('GET', '/v1/approvals?status=pending'))
		.approvals)
		await call('POST', `/v1/approvals/${id}/deny`, {})
	await asked
})
