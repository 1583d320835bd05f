import type { Locator, Page } from 'playwright-core'

/** Enough time to tab through all controls of a screen several times, and for a button that is enabled late on a busy machine. */
const patienceMs = 10_000

const isFocused = async (target: Locator) => (await target.and(target.page().locator(':focus')).count()) > 0

/** Runs in the page. A function in a string would not be called, and the checks are compiled without DOM types. */
const isActive = new Function('element', 'return element === document.activeElement') as () => boolean

/** Presses a key until the target has the focus. Throws if it does not get the focus in time. */
async function pressUntil(key: string, target: Locator): Promise<void> {
	await target.waitFor()
	for (const deadline = performance.now() + patienceMs; performance.now() < deadline; ) {
		if (await isFocused(target)) return
		await target.page().keyboard.press(key)
	}
	throw new Error(`${key} does not lead to ${target}`)
}

/**
 * Like `pressUntil`, for a key that moves the focus by script, shortly after the key press. It waits for the focus to move before it
 * presses again, since another press could move the focus past the target.
 */
async function stepUntil(key: string, target: Locator): Promise<void> {
	await target.waitFor()
	const page = target.page()
	for (const deadline = performance.now() + patienceMs; performance.now() < deadline; ) {
		if (await isFocused(target)) return
		const before = await page.evaluateHandle('document.activeElement')
		await page.keyboard.press(key)
		// A list that is still opening ignores keys. `page.waitForFunction` would violate the page's content policy, which forbids `eval`.
		const isThere = () => before.evaluate(isActive)
		for (const endMs = performance.now() + 1000; performance.now() < endMs && (await isThere()); );
		await before.dispose()
	}
	throw new Error(`${key} does not lead to ${target}`)
}

/** Helpers that operate a page with the keyboard only. */
export function keyboardOf(page: Page) {
	const tabTo = (target: Locator) => pressUntil('Tab', target)
	/** Follows a link, or presses a button. */
	async function activate(target: Locator): Promise<void> {
		await tabTo(target)
		await page.keyboard.press('Enter')
	}
	return {
		activate,
		async fill(label: string, text: string): Promise<void> {
			await tabTo(page.getByLabel(label, { exact: true }))
			await page.keyboard.press('Control+a')
			await page.keyboard.type(text)
		},
		press: (name: string, within: Page | Locator = page) =>
			activate(within.getByRole('button', { name, exact: true })),
		async check(target: Locator): Promise<void> {
			await tabTo(target)
			await page.keyboard.press('Space')
		},
		/** Arrow keys move between tabs, while the Tab key focuses only the selected tab. */
		async chooseTab(name: RegExp): Promise<void> {
			await tabTo(page.getByRole('tab', { selected: true }))
			await stepUntil('ArrowRight', page.getByRole('tab', { name }))
			await page.getByRole('tab', { name, selected: true }).waitFor()
		},
		chooseItem: async (name: string): Promise<void> => {
			await stepUntil('ArrowDown', page.getByRole('menuitem', { name }))
			await page.keyboard.press('Enter')
		},
	}
}
