import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { tick } from './browser.ts'
import type { TrafficStage } from './traffic-stage.ts'

interface Stage extends Pick<TrafficStage, 'call' | 'open' | 'load' | 'press' | 'askModel'> {
	page: Page
}

/** Tests of the settings for model calls and telemetry, of scores, and of tool insights. */
export function describeSettings(of: () => Stage): void {
	describe('settings for model calls', () => {
		test('a route is created and opened, and its deletion is undone', async () => {
			const { page, open, press, call } = of()
			await open('/connections?tab=routes&create=true')
			const dialog = page.getByRole('dialog')
			await dialog.getByLabel('Name').fill('main')
			await dialog.getByLabel('Strategy').selectOption('weighted')
			await dialog.getByLabel('Connection').first().selectOption('openai')
			await press('Remove target 2', dialog)
			await dialog.getByLabel('Weight').fill('3')
			await press('Create route', dialog)
			const routes = page.getByRole('table', { name: 'Routes' })
			await routes.getByText('By weight').waitFor()
			await press('Delete main')
			await routes.waitFor({ state: 'hidden' })
			await press('Undo')
			await routes.getByRole('link', { name: 'main' }).click()
			expect(await page.getByRole('dialog').getByLabel('Weight').inputValue()).toBe('3')
			await page.keyboard.press('Escape')
			expect(await call('GET', '/v1/routes')).toMatchObject({
				routes: [{ name: 'main', strategy: 'weighted', targets: [{ connection: 'openai', weight: 3 }] }],
			})
		})

		test('a forwarder is created, tested and switched off', async () => {
			const { page, open, press, call } = of()
			await open('/forwarders?create=true')
			const dialog = page.getByRole('dialog')
			await dialog.getByLabel('Name').fill('collector')
			await dialog.getByLabel('Address').fill('http://127.0.0.1:2')
			await dialog.getByRole('checkbox', { name: 'Audit records' }).check()
			await press('Create forwarder', dialog)
			await page.getByRole('table', { name: 'Signals' }).getByText('audit', { exact: true }).waitFor()
			await press('Try the receiver')
			await page.getByRole('alert').filter({ hasText: 'audit: ' }).waitFor()
			await page.getByRole('switch', { name: 'Forwarder is in use' }).click()
			await page.getByText('off', { exact: true }).waitFor()
			expect(await call('GET', '/v1/forwarders')).toMatchObject({
				forwarders: [{ name: 'collector', signals: ['spans', 'audit'], enabled: false }],
			})
		})

		test('a limit is created and switched off', async () => {
			const { page, open, press, call } = of()
			await open('/connections?tab=limits&create=true')
			const dialog = page.getByRole('dialog')
			await dialog.getByLabel('Name').fill('for everybody')
			await dialog.getByLabel('Scope', { exact: true }).selectOption('workspace')
			await dialog.getByLabel('Requests per minute').fill('600')
			await press('Create limit', dialog)
			await page.getByRole('link', { name: 'for everybody' }).click()
			await dialog.getByRole('switch', { name: 'On' }).click()
			await press('Save', dialog)
			await page.getByText('off', { exact: true }).waitFor()
			expect(await call('GET', '/v1/model-limits')).toMatchObject({
				model_limits: [
					{ scope: 'workspace', requests_per_minute: 600, tokens_per_minute: null, enabled: false },
				],
			})
		})

		test('a hook starts as a dry run, shows what it would have done, and can be enforced', async () => {
			const { page, open, press, call, askModel } = of()
			await open('/connections?tab=hooks&create=true')
			const dialog = page.getByRole('dialog')
			await dialog.getByLabel('Name').fill('Greetings')
			await dialog.getByLabel('Action').selectOption('redact')
			await dialog.getByLabel('Pattern').fill('hel+o')
			await dialog.getByLabel('Label').fill('greeting')
			await press('Create hook', dialog)
			const hooks = page.getByRole('table', { name: 'Hooks in the order in which they run' })
			await hooks.getByText('dry run').waitFor()
			expect(await askModel('gpt-mock')).toBe(200)
			await hooks.getByRole('link', { name: 'Greetings' }).click()
			await dialog.getByText('would have redacted').waitFor()
			await press('Enforce it', dialog)
			await dialog.getByText('Enforced: these actions').waitFor()
			await page.keyboard.press('Escape')
			await hooks.getByRole('switch', { name: 'Greetings is on' }).click()
			await hooks.getByText('off', { exact: true }).waitFor()
			await press('Delete Greetings')
			await hooks.waitFor({ state: 'hidden' })
			// The first Undo button reverts the enforcement, the last one the deletion.
			await page.getByRole('button', { name: 'Undo' }).last().click()
			await hooks.waitFor()
			expect(await call('GET', '/v1/hooks')).toMatchObject({
				hooks: [{ name: 'Greetings', mode: 'enforce', enabled: false, label: 'greeting' }],
			})
		})

		test('the secret of a webhook hook is shown once and can be replaced', async () => {
			const { page, open, press } = of()
			await open('/connections?tab=hooks&create=true')
			const dialog = page.getByRole('dialog')
			await dialog.getByLabel('Name').fill('Guard')
			await dialog.getByLabel('Action').selectOption('webhook')
			await dialog.getByLabel('Address').fill('https://example.com/hooks')
			await press('Create hook', dialog)
			expect(await dialog.getByTestId('secret').textContent()).toMatch(/^whsec_/)
			await tick(dialog.getByLabel('I have stored the secret'))
			await press('Done', dialog)
			await page.getByRole('link', { name: 'Guard' }).click()
			await dialog.getByRole('tab', { name: 'Settings' }).click()
			await press('Create a new secret', dialog)
			expect(await dialog.getByTestId('secret').textContent()).toMatch(/^whsec_/)
			await tick(dialog.getByLabel('I have stored the secret'))
			await press('Done', dialog)
			await press('Delete Guard')
			await press('Delete hook', dialog)
			await page.getByRole('link', { name: 'Guard' }).waitFor({ state: 'hidden' })
		})

		test('the settings of a key define what happens to a call when its client disconnects', async () => {
			const { page, open, press, call } = of()
			const { id } = await call<{ id: string }>('POST', '/v1/keys', { name: 'impatient' })
			await open('/keys')
			await press('Actions for impatient')
			await page.getByRole('menuitem', { name: /Change/ }).click()
			const dialog = page.getByRole('dialog')
			await dialog.getByLabel('On client disconnect').selectOption('detach')
			await press('Save', dialog)
			await expect.poll(async () => (await call('GET', `/v1/keys/${id}`)).on_disconnect).toBe('detach')
		})
	})

	describe('settings for telemetry', () => {
		test('a redaction rule is tried and created, and its deletion is undone', async () => {
			const { page, load, press, call } = of()
			// A full load removes the Undo button of the previous test.
			await load('/telemetry-settings?tab=redaction&create=true')
			const dialog = page.getByRole('dialog')
			await dialog.getByLabel('Name', { exact: true }).fill('Staff numbers')
			await dialog.getByLabel('Pattern').fill('EMP-[0-9]{6}')
			await dialog.getByLabel('Label').fill('staff_number')
			await dialog.getByLabel('Try it out').fill('Ask EMP-123456.')
			await press('Try', dialog)
			await dialog.getByText('Ask [redacted:staff_number].').waitFor()
			await dialog.getByLabel('Telemetry from').selectOption({ label: 'traffic' })
			await press('Create rule', dialog)
			const rules = page.getByRole('table', { name: 'Redaction rules' })
			await rules.getByText('EMP-[0-9]{6}').waitFor()
			await rules.getByText('from traffic only').waitFor()
			await press('Delete Staff numbers')
			await rules.waitFor({ state: 'hidden' })
			await press('Undo')
			await rules.waitFor()
			expect(await call('GET', '/v1/redaction-rules')).toMatchObject({
				redaction_rules: [{ name: 'Staff numbers', applies_to: ['content'] }],
			})
		})

		test('recording of the content of tool calls can be switched off and on for a workspace', async () => {
			const { page, open, call } = of()
			await open('/telemetry-settings')
			const recording = async () =>
				(await call<{ tool_content: boolean }>('GET', '/v1/call-recording')).tool_content
			expect(await recording()).toBe(true)
			const content = page.getByRole('switch', { name: 'Record arguments and results' })
			await content.click()
			await expect.poll(recording).toBe(false)
			await content.click()
			await expect.poll(recording).toBe(true)
		})

		test('each kind of telemetry has its own retention', async () => {
			const { page, load, press, call } = of()
			await load('/telemetry-settings')
			await page.getByLabel('Logs').selectOption('7')
			await press('Save')
			await expect.poll(() => call('GET', '/v1/retention')).toMatchObject({ traces_days: null, logs_days: 7 })
			await press('Undo')
			await expect.poll(() => call('GET', '/v1/retention')).toMatchObject({ logs_days: null })
		})
	})

	test('a trace is scored, and the list of scores links to the trace', async () => {
		const { page, open, press } = of()
		await open('/traces?view=calls&tool=echo')
		await page.getByRole('table').getByRole('link').first().click()
		await press('Add score')
		await page.getByLabel('Score name').fill('helpful')
		await page.getByRole('radio', { name: 'Bad' }).check()
		await page.getByLabel('Why').fill('It only repeats me')
		await press('Keep')
		await page.getByText('It only repeats me').waitFor()
		const trace = page.url()
		await open('/scores')
		await press('helpful')
		await page
			.getByRole('table', { name: 'Scores, newest first' })
			.getByRole('link', { name: 'a trace' })
			.click()
		await page.getByRole('heading', { name: 'Scores' }).waitFor()
		expect(new URL(page.url()).pathname).toBe(new URL(trace).pathname)
	})

	test('each tool insight has its own URL and can be exported', async () => {
		const { page, open, press } = of()
		await open('/tool-insights')
		await page.getByRole('table', { name: 'Tools offered' }).getByText('never called').first().waitFor()
		await page.getByRole('tab', { name: 'Refused arguments' }).click()
		await page.getByRole('table', { name: 'Refused arguments' }).getByText('get-sum').waitFor()
		expect(new URL(page.url()).searchParams.get('insight')).toBe('arguments')
		await press('Export')
		const file = page.waitForEvent('download')
		await page.getByRole('menuitem', { name: 'CSV' }).click()
		expect((await file).suggestedFilename()).toBe('invalid-arguments.csv')
	})
}
