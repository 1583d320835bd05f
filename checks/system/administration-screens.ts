import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { tick } from './browser.ts'
import { fill, grace, heading, type People, press } from './people-stage.ts'
import { type Screens, screenFaults, showScreen } from './screen-faults.ts'

/** Tests of what owners and operators do. Both persons are members of the workspace `default`, and are in another one. */
export function describeAdministration(of: () => People): void {
	describe('what owners and operators do', () => {
		let people: People
		beforeAll(async () => {
			people = of()
			for (const { page } of [people.ada, people.other]) {
				await page.goto(people.ui('/'))
				await enterDefault(page)
			}
		})

		describe('administration of a workspace and of the instance, in real browsers', () => {
			test('an owner changes a role, and the user with the lesser role sees disabled actions', async () => {
				await showScreen(people.ada.page, people.program.url, '/workspace')
				await people.ada.page.getByLabel(`Role of ${grace.email}`).selectOption('viewer')
				await people.ada.page.getByText(`${grace.email} is now viewer`).waitFor()
				await people.other.page.goto(people.ui('/workspace?tab=settings'))
				await people.other.page.getByText('You are viewer here.').waitFor()
				expect(await people.other.page.getByRole('button', { name: 'Delete workspace' }).isEnabled()).toBe(
					false,
				)
			})

			test('a workspace is deleted only after its name is typed, and the user continues in another workspace', async () => {
				const { page } = people.ada
				await press(page, 'Workspace default')
				await page.getByRole('menuitem', { name: 'Create workspace' }).click()
				await fill(page.getByRole('dialog'), 'Name', 'Accounting')
				await press(page.getByRole('dialog'), 'Create workspace')
				await page.getByRole('button', { name: 'Workspace Accounting' }).waitFor()
				await page.goto(people.ui('/workspace?tab=settings'))
				await press(page, 'Delete workspace')
				const dialog = page.getByRole('dialog')
				const confirm = dialog.getByRole('button', { name: 'Delete workspace' })
				expect(await confirm.isEnabled()).toBe(false)
				await fill(dialog, 'Type “Accounting” to confirm', 'Accounting')
				await confirm.click()
				await page.getByRole('button', { name: /^Workspace (?!Accounting)/ }).waitFor()
				await enterDefault(page)
			})

			test('instance settings take effect at once and show where their value comes from', async () => {
				const { page } = people.ada
				await showScreen(page, people.program.url, '/instance')
				await page.getByRole('radio', { name: 'Invited people' }).click()
				await page.getByText('set here').waitFor()
				await people.other.page.goto(people.ui('/register'))
				await people.other.page.getByText('People join this instance by invitation.').waitFor()
				await press(page, 'Use the default of Who may register')
				await page.getByText('set here').waitFor({ state: 'hidden' })
				await page.getByRole('tab', { name: 'Workspaces' }).click()
				const mayRun = page.getByRole('switch', { name: 'default may run programs' })
				expect(await mayRun.isChecked()).toBe(true)
				await mayRun.click()
				await page.getByText('default may no longer run programs').waitFor()
				await expect.poll(() => mayRun.isChecked()).toBe(false)
				await mayRun.click()
				await page.getByText('default may run programs', { exact: true }).waitFor()
				await expect.poll(() => mayRun.isChecked()).toBe(true)
				await fetch(`${people.program.url}/v1/agents`)
				await page.getByRole('tab', { name: 'Refusals' }).click()
				await page.getByText('unauthenticated').first().waitFor()
				await people.other.page.goto(people.ui('/instance'))
				await people.other.page.getByText('This is for operators').waitFor()
			})

			test('the master key is replaced and the signing keys are ended while the program runs', async () => {
				const { page } = people.ada
				await showScreen(page, people.program.url, '/instance?tab=keys')
				await press(page, 'Replace master key')
				await press(page.getByRole('dialog'), 'Replace key')
				await page.getByText('done', { exact: true }).waitFor()
				await press(page, 'A key leaked')
				await press(page.getByRole('dialog'), 'End the keys')
				await page.getByText('signs', { exact: true }).waitFor()
				await page.goto(people.ui('/workspace'))
				await heading(page, 'Settings')
			})

			test('a key is rotated: the new secret is shown once, and the old one shows when it ends', async () => {
				const { page } = people.ada
				await showScreen(page, people.program.url, '/keys?create=true')
				const dialog = page.getByRole('dialog')
				await fill(dialog, 'Name', 'pipeline')
				await press(dialog, 'Create key')
				await tick(dialog.getByRole('checkbox', { name: 'I have stored the key' }))
				await press(dialog, 'Done')
				await press(page, 'Actions for pipeline')
				await page.getByRole('menuitem', { name: 'Rotate' }).click()
				await press(dialog, 'Create new secret')
				const secret = (await dialog.getByTestId('secret').textContent()) ?? ''
				await tick(dialog.getByRole('checkbox', { name: 'I have stored the key' }))
				await press(dialog, 'Done')
				await page.getByText(/^new …\w+ unused$/).waitFor()
				const headers = { 'x-service-api-key': secret }
				expect((await fetch(`${people.program.url}/v1/mcp/servers`, { headers })).status).toBe(200)
				await page.reload()
				await page.getByText(/^old …\w+ ends in 2[34] h$/).waitFor()
			})

			test('a key is changed, and keys are filtered by state', async () => {
				const { page } = people.ada
				await press(page, 'Actions for pipeline')
				await page.getByRole('menuitem', { name: 'Change' }).click()
				const dialog = page.getByRole('dialog')
				await dialog.getByLabel(/^Allowed addresses/).fill('192.0.2.7\n2001:db8::/32')
				await press(dialog, 'Save')
				await page.getByText('from 192.0.2.7, 2001:db8::/32').waitFor()
				await page.getByRole('radio', { name: 'Revoked' }).click()
				await page.getByText('No revoked credentials').waitFor()
				expect(page.url()).toContain('status=revoked')
			})
		})

		describe('every screen for users, workspaces and the instance', () => {
			let openLink = ''
			const signedIn: Screens = [
				['/account', 'Your account'],
				['/workspace', 'Settings'],
				['/workspace?tab=invitations', 'Settings'],
				['/workspace?tab=settings', 'Settings'],
				['/workspace?invite=true', null],
				['/instance', 'Instance'],
				['/instance?tab=workspaces', 'Instance'],
				['/instance?tab=operators', 'Instance'],
				['/instance?tab=links', 'Instance'],
				['/instance?tab=keys', 'Instance'],
				['/instance?tab=refusals', 'Instance'],
				['/keys', 'Keys & tokens'],
				['/keys?create=true', null],
			]
			const signedOut = (): Screens => [
				['/sign-in', 'Sign in'],
				['/sign-in?error=account_exists', 'Sign in'],
				['/register', 'Create an account'],
				['/forgot', 'Reset your password'],
				['/reset', 'The link is incomplete'],
				['/reset#token=x', 'Choose a new password'],
				['/verify#token=x', 'Confirm your e-mail address'],
				['/invitation', 'The link is incomplete'],
				['/shared', 'Shared session'],
				[openLink.replace(`${people.program.url}/ui`, ''), 'Join default'],
			]

			beforeAll(async () => {
				openLink = await people.invite('visitor@example.com', 'viewer')
			})

			test('is accessible, fits its width, and complies with the content policy', async () => {
				const session = await people.ada.context.storageState()
				expect(await screenFaults(people.browser, people.program.url, signedIn, session)).toEqual([])
				expect(await screenFaults(people.browser, people.program.url, signedOut())).toEqual([])
			})
		})
	})
}

async function enterDefault(page: Page): Promise<void> {
	await page.getByRole('button', { name: /^Workspace / }).click()
	await page.getByRole('menu').getByText('default', { exact: true }).click()
	await page.getByRole('button', { name: 'Workspace default' }).waitFor()
}
