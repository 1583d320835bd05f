import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { faultsOfLooks } from './screen-faults.ts'
import { stageSession, type TrafficStage } from './traffic-stage.ts'

/** Traces and sessions as people read them, and the pages of users, tools, models, agents and servers. */
export function describeReader(staged: () => TrafficStage): void {
	describe('the reader', () => {
		let stage: TrafficStage
		let page: Page
		let open: TrafficStage['open']
		let press: TrafficStage['press']
		beforeAll(() => {
			stage = staged()
			;({ page, open, press } = stage)
		})
		const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
		const table = (name: string) => page.getByRole('table', { name })
		const search = () => new URL(page.url()).searchParams

		test('a model call that came as a span has its messages in its session, and long content keeps its width', async () => {
			const { traceId, sessionId, question } = await stage.sendModelSpan()
			const path = `/traces/${traceId}`
			const spans = () =>
				stage.call<{ spans?: unknown[] }>('GET', `/v1/telemetry${path}`).then((trace) => trace.spans?.length)
			await expect.poll(spans, { timeout: 15_000 }).toBe(1)
			await open(path)
			await page.getByRole('list', { name: 'Messages' }).getByText(question).waitFor()
			await page.getByRole('tab', { name: /^Attributes/ }).click()
			await page.getByText('langfuse.observation.input').first().waitFor()
			expect(await faultsOfLooks(page, path)).toEqual([])
			await open(`/sessions/${sessionId}`)
			await page.getByRole('list', { name: 'Messages' }).getByText(question).waitFor()
			expect(await page.getByText('No message content captured').count()).toBe(0)
			expect(await faultsOfLooks(page, '/session-of-spans')).toEqual([])
		})

		test('a tool call shows what it was given and what the server said, by keyboard alone', async () => {
			await open('/traces?view=calls&calls=failed&tool=get-sum')
			await table('Calls, newest first')
				.getByRole('link', { name: /get-sum/ })
				.first()
				.press('Enter')
			const spans = page.getByRole('tree', { name: 'Spans of the trace' })
			const pane = page.getByRole('region', { name: 'Selected span' })
			await pane.getByText('not a number').first().waitFor()
			await pane
				.getByRole('note')
				.getByText(/expected number|Invalid/i)
				.waitFor()
			await spans.focus()
			await page.keyboard.press('Enter')
			expect(await page.evaluate<string>('document.activeElement.id')).toBe('trace-pane')
			await page.keyboard.press('Escape')
			expect(await page.evaluate<string>('document.activeElement.role')).toBe('tree')
			await pane.getByRole('button', { name: 'Raw arguments' }).press('Enter')
			await pane
				.getByRole('region', { name: 'Raw Arguments' })
				.getByText('{"a":"not a number","b":2}')
				.waitFor()
			const line = page.getByRole('separator', { name: 'Width of the parts' })
			const before = Number(await line.getAttribute('aria-valuenow'))
			await line.focus()
			await page.keyboard.press('ArrowLeft')
			expect(Number(await line.getAttribute('aria-valuenow'))).toBeLessThan(before)
			expect(await faultsOfLooks(page, '/trace-of-tool')).toEqual([])
		})

		test('equal calls are one line that unfolds, by keyboard, and two of them are compared at an address', async () => {
			const { traceId, sessionId } = await stage.sendRun()
			const path = `/traces/${traceId}`
			const spans = () =>
				stage.call<{ spans?: unknown[] }>('GET', `/v1/telemetry${path}`).then((trace) => trace.spans?.length)
			await expect.poll(spans, { timeout: 15_000 }).toBe(17)
			await open(path)
			const tree = page.getByRole('tree', { name: 'Spans of the trace' })
			await tree.getByRole('treeitem', { name: /16 × .*search.*3 failed/ }).waitFor()
			expect(await tree.getByRole('treeitem').count()).toBe(2)
			await tree.focus()
			await page.keyboard.press('ArrowDown')
			const pane = page.getByRole('region', { name: 'Selected span' })
			await pane.getByText('the index is locked').first().waitFor()
			expect(await faultsOfLooks(page, '/trace-of-run')).toEqual([])
			await page.keyboard.press('ArrowRight')
			await expect.poll(() => tree.getByRole('treeitem').count()).toBe(18)
			await page.keyboard.press('ArrowDown')
			await expect.poll(() => search().get('span')).not.toContain('run:')
			await page.keyboard.press('ArrowLeft')
			await expect.poll(() => search().get('span')).toContain('run:')
			await page.keyboard.press('ArrowLeft')
			await expect.poll(() => tree.getByRole('treeitem').count()).toBe(2)
			await page.getByRole('link', { name: 'Compare fastest and slowest' }).press('Enter')
			await heading('Compare calls')
			const content = page.getByRole('region', { name: 'Content of both calls' })
			expect(await content.textContent()).toMatch(/otters 0.*otters 15/s)
			await table('Facts of both')
				.getByRole('row', { name: /^Duration .*%/ })
				.waitFor()
			expect(await faultsOfLooks(page, '/compare-calls')).toEqual([])
			await page.reload()
			await heading('Compare calls')
			await open(`/sessions/${sessionId}`)
			const timeline = page.getByRole('list', { name: 'Timeline' })
			await timeline.getByRole('button', { name: /16 × .*search.*3 failed/ }).click()
			await expect.poll(() => timeline.getByRole('button').count()).toBe(17)
			await press('Compare')
			await page.getByRole('dialog').getByRole('link').first().click()
			await heading('Compare sessions')
			await page.getByRole('list', { name: 'Calls of both sessions' }).getByRole('button').first().click()
			await page.getByRole('link', { name: 'Open call' }).first().waitFor()
			expect(await faultsOfLooks(page, '/compare-sessions')).toEqual([])
		})

		test('a session is opened from its line, the keyboard goes from call to call, and what was said is there', async () => {
			await open('/sessions')
			await page.getByRole('searchbox', { name: 'Session contains' }).fill('un/7')
			await table('Sessions').getByRole('link', { name: stageSession }).click()
			await heading('Session')
			await page.getByRole('list', { name: 'Calls' }).getByText('hello').first().waitFor()
			await page.keyboard.press('j')
			await page.keyboard.press('j')
			expect(await page.evaluate<string>('document.activeElement.textContent')).toMatch(/mock|other|error/)
			await page.keyboard.press('Enter')
			await page.keyboard.press('Enter')
			await page.getByRole('tree', { name: 'Spans of the trace' }).waitFor()
			expect(page.url()).toContain('/traces/')
			await open('/sessions/nobody')
			await page.getByRole('heading', { name: 'Session not found' }).waitFor()
		})

		test('users are found by a part of their name, and a page says what one of them did', async () => {
			const { sessionId } = await stage.sendModelSpan()
			await open('/users?q=USER-xxx')
			await table('Users')
				.getByRole('link', { name: /^user-xxx/ })
				.first()
				.click({ timeout: 30_000 })
			await page
				.getByRole('table', { name: 'Sessions' })
				.getByRole('link', { name: /^told-/ })
				.first()
				.waitFor()
			await open('/sessions?user=SER-xx')
			await table('Sessions').getByRole('link', { name: sessionId }).waitFor()
		})

		test('columns are chosen, and the file has exactly what is seen, in plain decimals', async () => {
			await open('/tools')
			await table('Tools').getByRole('columnheader', { name: 'Error rate' }).waitFor()
			await press('Columns')
			await page.getByRole('menuitem', { name: 'Error rate' }).click()
			await expect
				.poll(() => table('Tools').getByRole('columnheader', { name: 'Error rate' }).count())
				.toBe(0)
			expect(search().get('columns')).not.toContain('error_rate')
			const waiting = page.waitForEvent('download')
			await press('Export CSV')
			const file = await (await waiting).createReadStream()
			const text = (await file.toArray()).join('')
			expect(text.split('\r\n')[0]).toBe('Tool,Server,Calls,Errors,p95,Tokens,Cost,Last seen')
			expect(text).toMatch(/^get-sum,everything,\d+,\d+,[\d.]+,0,0,/m)
		})

		test('tools, models, agents and servers have pages with their figures over time and their failures', async () => {
			await open('/tools')
			await table('Tools').getByRole('link', { name: 'get-sum' }).click()
			await heading('get-sum')
			await table('Failures').getByRole('link').first().waitFor()
			await table('Server versions').getByRole('link').first().waitFor()
			await page.getByRole('radio', { name: 'Latency' }).click()
			await page.getByRole('img', { name: /^Latency over time/ }).waitFor()
			await open('/models')
			await table('Models').getByRole('link', { name: 'gpt-mock' }).click()
			await heading('gpt-mock')
			await table('Agents').getByRole('link', { name: 'support-bot' }).click()
			await page.getByRole('tab', { name: 'Usage', selected: true }).waitFor()
			await table('Servers').getByRole('link', { name: 'everything' }).click()
			await page.getByRole('tab', { name: 'Usage', selected: true }).waitFor()
			await page.getByLabel('Split by').selectOption({ label: 'Tool' })
			await expect.poll(() => search().get('split')).toBe('tool')
		})
	})
}
