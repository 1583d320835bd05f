import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keyboardOf } from './keyboard.ts'
import { type Objects, startObjects } from './objects-stage.ts'

let stage: Objects
let page: Page
let made: Objects['made']
let call: Objects['call']
let open: Objects['open']
let press: Objects['press']

beforeAll(async () => {
	stage = await startObjects()
	;({ page, made, call, open, press } = stage)
})
afterAll(() => stage?.stop())

describe('servers', () => {
	test('a tool is called from a form made from its schema, and the result links to the trace', async () => {
		await open(`/servers/${made.server}?tab=playground&tool=echo`)
		await page.getByLabel('message', { exact: true }).fill('hello')
		await press('Call the tool')
		await page.getByText('Echo: hello').waitFor()
		await page.getByRole('link', { name: 'Open the trace' }).click()
		await page.getByRole('tree', { name: 'Spans of the trace' }).getByRole('treeitem').first().waitFor()
	})

	test('a missing argument is reported at its field, and arguments can be entered as JSON instead', async () => {
		await open(`/servers/${made.server}?tab=playground&tool=get-sum`)
		await press('Call the tool')
		await page.getByText('a is required').waitFor()
		await page.getByRole('radio', { name: 'JSON' }).click()
		await page.getByLabel('Arguments as JSON').fill('{"a": 2, "b": 40}')
		await press('Call the tool')
		await page.getByText('The sum of 2 and 40 is 42.').waitFor()
	})

	test('a call as an agent without a grant is refused', async () => {
		await open(`/servers/${made.server}?tab=playground&tool=echo`)
		await page.getByLabel('As', { exact: true }).selectOption({ label: 'release-bot' })
		await page.getByLabel('message', { exact: true }).fill('hello')
		await press('Call the tool')
		await page.getByRole('alert').getByText('is not granted to release-bot', { exact: false }).waitFor()
	})

	test('the history lists each health check', async () => {
		await open(`/servers/${made.server}?tab=health`)
		await page.getByRole('img', { name: /checks found it healthy/ }).waitFor()
		await page.getByRole('table', { name: 'Checks' }).getByText('healthy').first().waitFor()
	})

	test('a pasted mcp.json is imported, with a result for each entry', async () => {
		await open('/servers?register=true')
		await page.getByRole('tab', { name: 'Paste mcp.json' }).click()
		const file = {
			mcpServers: {
				everything: { url: stage.referenceUrl },
				second: { url: stage.referenceUrl },
				local: { command: 'ls' },
			},
		}
		await page.getByLabel('Configuration of a client').fill(JSON.stringify(file))
		await press('Import')
		const outcomes = page.getByRole('list', { name: 'Imported servers' })
		await outcomes.getByText('created', { exact: true }).first().waitFor()
		await outcomes.getByText('skipped', { exact: true }).waitFor()
		await press('Done')
		await page.getByRole('link', { name: 'second', exact: true }).waitFor()
	})

	test('without the right to run programs, the error says who can give it', async () => {
		const { workspace } = await call<{ workspace: { id: string } }>('GET', '/auth/me')
		await call('PATCH', `/v1/workspaces/${workspace.id}/rights`, { stdio: false })
		await open('/servers?register=true')
		await page.getByRole('tab', { name: 'Program (command)' }).click()
		await page.getByLabel('Name', { exact: true }).fill('files')
		await page.getByLabel('Command', { exact: true }).fill('npx')
		await press('Register')
		await page.getByText('An operator gives the right under Instance').waitFor()
		await call('PATCH', `/v1/workspaces/${workspace.id}/rights`, { stdio: true })
		await press('Register')
		await page.getByText('It is installed and started automatically').waitFor()
		await page.getByRole('link', { name: 'Open the server' }).click()
		await page.getByRole('heading', { name: /^Isolation/ }).waitFor()
	})
})

describe('the access matrix', () => {
	test('is read and changed with the keyboard only: to a cell, into its grant, and back to the cell', async () => {
		const keyboard = keyboardOf(page)
		const grid = page.getByRole('grid', { name: 'Access of agents to tools' })
		const activeCell = () =>
			page.evaluate<string | undefined>(`(() => {
				const id = document.activeElement.getAttribute('aria-activedescendant')
				return document.getElementById(id)?.getAttribute('aria-label')
			})()`)
		await open('/access')
		await grid.focus()
		await page.keyboard.press('Control+End')
		// The row of the last agent, and the last tool of the last server, whichever that is.
		await expect.poll(activeCell).toMatch(/^support-bot, .* on .*: Not granted$/)
		// A cell that was just scrolled into view has no label until it is rendered.
		const move = async (key: string) => {
			const before = await activeCell()
			await page.keyboard.press(key)
			await expect.poll(activeCell).toMatch(/^support-bot, /)
			await expect.poll(activeCell).not.toBe(before)
		}
		await move('Home')
		while (!(await activeCell())?.includes(', echo on everything')) await move('ArrowRight')
		expect(await activeCell()).toBe('support-bot, echo on everything: Not granted')
		await page.keyboard.press('Enter')
		const dialog = page.getByRole('dialog', { name: 'support-bot → everything' })
		await keyboard.check(dialog.getByRole('checkbox', { name: 'echo', exact: true }))
		await keyboard.press('Grant access', dialog)
		await dialog.waitFor({ state: 'hidden' })
		await expect.poll(() => page.evaluate('document.activeElement.role')).toBe('grid')
		await expect.poll(activeCell).toBe('support-bot, echo on everything: Allowed')
		await page.getByRole('list', { name: 'Grants' }).getByRole('link', { name: 'History' }).waitFor()
		await page.keyboard.press('ArrowRight')
		await expect.poll(activeCell).toMatch(/: Not granted$/)
		await page.keyboard.press('ArrowLeft')
		await page.keyboard.press('Enter')
		await dialog.getByRole('region', { name: 'History' }).getByText('access.create').waitFor()
		await page.keyboard.press('Escape')
		await dialog.waitFor({ state: 'hidden' })
		await expect.poll(() => page.evaluate('document.activeElement.role')).toBe('grid')
	})
})

test('the tests caused no content policy violations, no requests to other hosts and no script errors', () => {
	expect(stage.watched.faults).toEqual([])
})

describe('agents', () => {
	test('all keys of an agent are shown, however many it has', async () => {
		const { uuid } = await call<{ uuid: string }>('POST', '/v1/agents', { name: 'many-keys' })
		for (let at = 0; at < 101; at += 1) await call('POST', `/v1/agents/${uuid}/keys`, { name: `key ${at}` })
		await open(`/agents/${uuid}?tab=keys`)
		await expect.poll(() => page.getByRole('button', { name: /^Actions for key/ }).count()).toBe(101)
	})
})
