import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { TrafficStage } from './traffic-stage.ts'

interface Stage extends Pick<TrafficStage, 'open' | 'press' | 'askModel' | 'call'> {
	page: Page
}

/** Tests of the screens about costs: prices, the ledger and budgets. */
export function describeSpend(of: () => Stage): void {
	describe('spend', () => {
		test('a price is added for a model without one, and later calls have a cost', async () => {
			const { page, open, press, askModel } = of()
			const table = (name: string) => page.getByRole('table', { name })
			await open('/spend')
			await page.getByRole('link', { name: 'Give their models a price' }).click()
			await press('Set price of gpt-mock-2026-11-01')
			const dialog = page.getByRole('dialog')
			await dialog.getByLabel('Input').fill('1.25')
			await dialog.getByLabel(/^Output/).fill('10')
			await press('Set price', dialog)
			await table('Your own prices').getByText('gpt-mock-2026-11-01').waitFor()
			expect(await askModel('gpt-mock')).toBe(200)
			await open('/ledger?model=gpt-mock-2026-11-01')
			await table('Ledger, newest first').getByText('$1.25').first().waitFor()
			await table('Ledger, newest first').getByRole('link').first().click()
			await page.getByRole('heading', { name: 'gpt-mock-2026-11-01', level: 1 }).waitFor()
			await page.getByRole('tab', { name: 'Details' }).click()
			await page.getByText('20 × $1.25 / 1M').waitFor()
		})

		test('a budget is created, shown with its spending, changed and deleted', async () => {
			const { page, open, press, askModel, call } = of()
			await open('/budgets')
			await page.getByRole('button', { name: 'Create budget' }).first().click()
			const dialog = page.getByRole('dialog')
			await dialog.getByLabel('Name').fill('Five a day')
			await dialog.getByLabel('Dollars').fill('5')
			await dialog.getByLabel('Calls to models without a price').selectOption('allow')
			await dialog.getByLabel(/^Contact/).fill('ann@example.org')
			await dialog.getByLabel('Scope', { exact: true }).selectOption('workspace')
			await press('Create budget', dialog)
			await dialog.waitFor({ state: 'hidden' })
			expect(await askModel('gpt-mock')).toBe(200)
			const row = page.getByRole('row', { name: /Five a day/ })
			await row.getByText('ann@example.org').waitFor()
			// Check the API first, then the screen, so that a failure shows which of them is late.
			const spent = () =>
				call<{ budgets: { state: { spent: string } | null }[] }>('GET', '/v1/budgets').then(({ budgets }) =>
					Number(budgets[0]?.state?.spent),
				)
			await expect.poll(spent, { timeout: 15_000 }).toBeGreaterThan(0)
			await row.getByText(/\$0\.000\d+ spent/).waitFor()
			await page.getByRole('link', { name: 'Five a day' }).click()
			await dialog.getByText('Entire workspace').waitFor()
			await dialog.getByRole('tab', { name: 'Settings' }).click()
			await dialog.getByLabel('Dollars').fill('7.5')
			await press('Save', dialog)
			await row.getByText('$7.50', { exact: true }).waitFor()
			await page.getByRole('link', { name: 'Five a day' }).click()
			await dialog.getByRole('tab', { name: 'Settings' }).click()
			await press('Delete', dialog)
			await press('Delete budget')
			await page.getByRole('heading', { name: 'No budget yet' }).waitFor()
		})
	})
}
