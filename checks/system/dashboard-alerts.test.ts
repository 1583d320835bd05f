import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pathOf } from './browser.ts'
import { type Objects, startObjects } from './objects-stage.ts'
import { type Screens, screenFaults } from './screen-faults.ts'

let stage: Objects
let page: Page
let path = ''

beforeAll(async () => {
	stage = await startObjects()
	page = stage.page
})
afterAll(() => stage?.stop())

const table = () => page.getByRole('table', { name: 'Alerts' })
const line = (name: string) => table().getByRole('row').filter({ hasText: name })

describe('alerts', () => {
	test('a new workspace has five alerts', async () => {
		await stage.open('/alerts')
		// They are created within 10 s after the workspace, and the list polls for them.
		for (const name of ['Server down', 'Definition changed', 'Error spike', 'Spend anomaly', 'Agent looping'])
			await line(name).waitFor()
	}, 90_000)

	test('an alert on a view saved in Spotlight fires and is counted in the page header', async () => {
		await stage.open('/spotlight?by=errors&start=-1h')
		await stage.press('Save view')
		const saving = page.getByRole('dialog')
		await saving.getByLabel('Name').fill('Failures of the last hour')
		await saving.getByRole('checkbox', { name: 'Create an alert on it' }).click()
		await stage.press('Save view', saving)
		const creating = page.getByRole('dialog', { name: 'Create an alert' })
		await creating.getByLabel('Name').fill('Nothing failed')
		await creating.getByLabel('Threshold').fill('1000000')
		await creating.getByLabel('Condition').selectOption('below')
		await creating.getByLabel('E-mail to').fill('ops@example.org')
		await stage.press('Create alert', creating)
		await page.getByRole('heading', { name: 'Nothing failed', level: 1 }).waitFor()
		path = pathOf(page)
		await page.getByRole('table', { name: 'History' }).getByText('firing').first().waitFor()
		await page.getByText('this instance has no mail server').waitFor()
		await stage.open('/')
		await page.getByRole('link', { name: '1 alert firing' }).click()
		await expect.poll(() => table().getByRole('row').nth(1).textContent()).toContain('Nothing failed')
	})

	test('a chart becomes an alert, which previews when it would have fired, and a dashboard panel', async () => {
		await stage.open('/spotlight?start=-1h')
		await page.getByRole('link', { name: 'Alert on this' }).click()
		const creating = page.getByRole('dialog', { name: 'Create an alert' })
		await creating.getByLabel('Metric').selectOption('error_rate')
		await creating.getByLabel('Threshold (%)').fill('5')
		await creating.getByText(/Would (not )?have fired/).waitFor()
		await stage.press('Create alert', creating)
		await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor()
		const made = await stage.call('GET', `/v1${pathOf(page)}`)
		expect(made).toMatchObject({ figure: 'error_rate', threshold: 0.05 })
		await stage.open('/spotlight?start=-1h')
		await page.getByRole('link', { name: 'Add to dashboard' }).click()
		await stage.press('Add panel', page.getByRole('dialog'))
		await page.getByRole('region', { name: 'Panel: Calls' }).waitFor()
		await stage.press('Edit')
		const handle = page.getByRole('button', { name: 'Move or resize Calls' })
		await handle.focus()
		await page.keyboard.press('Shift+ArrowRight')
		await stage.press('Save')
		await handle.waitFor({ state: 'hidden' })
		const { dashboards } = await stage.call('GET', '/v1/dashboards')
		expect(dashboards).toMatchObject([{ panels: [{ title: 'Calls', width: 8 }] }])
	})

	test('a panel is moved and resized with the mouse', async () => {
		type Listed = { dashboards: { id: string; panels: { title: string; width: number }[] }[] }
		const readFirst = async () => (await stage.call<Listed>('GET', '/v1/dashboards')).dashboards[0]
		const { id, panels = [] } = (await readFirst()) ?? {}
		const second = { ...panels[0], id: 'second', title: 'Second', width: 6 }
		await stage.call('PATCH', `/v1/dashboards/${id}`, { panels: [{ ...panels[0], width: 6 }, second] })
		await stage.load(`/dashboards/${id}?edit=true`)
		const frame = (title: string) => page.getByRole('region', { name: `Panel: ${title}` })
		const titles = () => page.getByRole('list', { name: 'Panels' }).getByRole('heading').allTextContents()
		await expect.poll(titles).toEqual(['Calls', 'Second'])
		await page.getByRole('button', { name: 'Move or resize Second' }).dragTo(frame('Calls'))
		await expect.poll(titles).toEqual(['Second', 'Calls'])
		const box = await frame('Second').boundingBox()
		if (!box) throw new Error('The panel is not shown')
		await page.mouse.move(box.x + box.width - 6, box.y + box.height - 6)
		await page.mouse.down()
		await page.mouse.move(box.x + box.width * 1.5, box.y + box.height - 6, { steps: 5 })
		await page.mouse.up()
		await stage.press('Save')
		await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
		const saved = (await readFirst())?.panels
		expect(saved?.map(({ title }) => title)).toEqual(['Second', 'Calls'])
		expect(saved?.[0]?.width).toBeGreaterThan(6)
	})

	test('panels that another user changed in the meantime are not overwritten', async () => {
		type Listed = { dashboards: { id: string; panels: { title: string; width: number }[] }[] }
		const { dashboards } = await stage.call<Listed>('GET', '/v1/dashboards')
		const { id, panels = [] } = dashboards[0] ?? {}
		await stage.press('Edit')
		await page.getByRole('button', { name: 'Move or resize Second' }).focus()
		await page.keyboard.press('ArrowRight')
		await page.getByText('Not saved yet').waitFor()
		await stage.call('PATCH', `/v1/dashboards/${id}`, { panels: panels.slice(0, 1) })
		await stage.press('Save')
		await page.getByText('It was changed in the meantime').waitFor()
		const saved = await stage.call<Listed>('GET', '/v1/dashboards')
		expect(saved.dashboards[0]?.panels).toHaveLength(1)
		await stage.press('Discard')
		await expect
			.poll(() => page.getByRole('list', { name: 'Panels' }).getByRole('heading').allTextContents())
			.toEqual(['Second'])
	})

	test('an alert is tested, muted, changed and turned off', async () => {
		await stage.open(path)
		await stage.press('Test')
		await page.getByText(/Test sent/).waitFor()
		await stage.press('Mute')
		await page.getByRole('menuitem', { name: 'For an hour' }).click()
		await page.getByText('muted', { exact: true }).waitFor()
		await page.getByLabel('Pending period (s)').fill('120')
		await stage.press('Save')
		await expect.poll(async () => (await stage.call('GET', `/v1${path}`)).for_s).toBe(120)
		await page.getByRole('switch', { name: 'Alert is enabled' }).click()
		await page.getByText('off', { exact: true }).waitFor()
	})

	test('an alert links to the matching calls in Spotlight', async () => {
		await page.getByRole('link', { name: 'View matching calls' }).click()
		await page.getByRole('heading', { name: 'Spotlight', level: 1 }).waitFor()
		expect(new URL(page.url()).searchParams.get('by')).toBe('errors')
	})
})

test('the tests caused no content policy violations, no requests to other hosts and no script errors', () => {
	expect(stage.watched.faults).toEqual([])
})

test('the alert screens are accessible, fit their width, and comply with the content policy', async () => {
	const screens: Screens = [
		['/alerts', 'Alerts'],
		['/alerts?tab=questions', 'Alerts'],
		['/alerts?watch=', null],
		['/access', 'Access matrix'],
		['/dashboards', 'Dashboards'],
		['/dashboards/operations?compare=true', 'Operations'],
		['/webhooks?create=true', null],
		[path, 'Nothing failed'],
	]
	expect(await screenFaults(stage.browser, stage.program.url, screens, stage.session)).toEqual([])
})
