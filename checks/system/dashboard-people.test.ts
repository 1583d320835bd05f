import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeAdministration } from './administration-screens.ts'
import { openPage } from './browser.ts'
import {
	fill,
	grace,
	heading,
	operator,
	type People,
	press,
	signIn,
	signOut,
	startPeople,
} from './people-stage.ts'

const newPassword = 'and microseconds this long'

let people: People

beforeAll(async () => {
	people = await startPeople()
	const { accounts } = people.provider
	accounts.set('grace', { email: grace.email, email_verified: true, name: 'Grace' })
	accounts.set('impostor', { email: operator.email, email_verified: true, name: 'Ada?' })
})

afterAll(() => people?.stop())

describe('invitation, sign-up, sign-in and passwords, in real browsers', () => {
	let token = ''

	test('the operator invites a user with a link that is shown once', async () => {
		const { page } = people.ada
		token = await people.invite(grace.email, 'admin')
		await page.goto(people.ui('/workspace?tab=invitations'))
		await page.getByRole('cell', { name: grace.email, exact: true }).waitFor()
		expect(await page.content()).not.toContain(token.split('=')[1])
	})

	test('a new user creates an account with the link, whose secret is removed from the address bar', async () => {
		const { page } = people.other
		await page.goto(token)
		await heading(page, 'Join default')
		expect(page.url()).not.toContain('#')
		await fill(page, 'Name optional', 'Grace')
		await fill(page, 'Password', grace.password)
		await press(page, 'Create account and join')
		await heading(page, 'Home')
		await page.goto(token)
		await page.getByText('The invitation was used or revoked, or has expired').first().waitFor()
	})

	test('the user confirms the e-mail address with a link that the operator passes on', async () => {
		const { page } = people.other
		await page.goto(people.ui('/account'))
		await page.getByText('not confirmed', { exact: true }).waitFor()
		await press(page, 'Send the link again')
		await page.getByText('A link is on its way.').waitFor()
		await page.goto(await people.mailLink(grace.email, 'verify'))
		await press(page, 'Confirm address')
		await heading(page, 'Address confirmed')
		await page.goto(people.ui('/account'))
		await page.getByText('confirmed', { exact: true }).waitFor()
	})

	test('the user resets a forgotten password, which ends all sessions', async () => {
		const { page } = people.other
		await page.goto(people.ui('/sign-in'))
		await page.getByRole('link', { name: 'Forgot your password?' }).click()
		// Both screens have an e-mail field, and the first screen stays visible until the second one is loaded.
		await heading(page, 'Reset your password')
		await fill(page, 'E-mail', grace.email)
		await press(page, 'Send the link')
		await page.getByText('Check your inbox').waitFor()
		await page.goto(await people.mailLink(grace.email, 'reset'))
		await heading(page, 'Choose a new password')
		await fill(page, 'New password', 'password')
		await press(page, 'Set password')
		await page.getByText('The password is too easy to guess').first().waitFor()
		await fill(page, 'New password', newPassword)
		await press(page, 'Set password')
		await page.getByRole('link', { name: 'Sign in', exact: true }).click()
		await signIn(page, grace)
		await page.getByText('E-mail or password is wrong').first().waitFor()
		await page.goto(people.ui('/account'))
		await heading(page, 'Sign in')
		await signIn(page, { ...grace, password: newPassword })
		await heading(page, 'Your account')
	})

	test('the user changes the password and ends another session', async () => {
		const { page } = people.other
		await fetch(`${people.program.url}/auth/login`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', 'user-agent': 'curl/8.10.1' },
			body: JSON.stringify({ email: grace.email, password: newPassword }),
		})
		await page.reload()
		const row = page.getByRole('row', { name: /^curl/ })
		await row.getByRole('button', { name: /^End the session/ }).click()
		await row.waitFor({ state: 'hidden' })
		await fill(page, 'Current password', 'wrong password')
		await fill(page, 'New password', grace.password)
		await press(page, 'Change password')
		await page.getByText('The current password is wrong').first().waitFor()
		await fill(page, 'Current password', newPassword)
		await press(page, 'Change password')
		await page.getByText('Password changed').waitFor()
	})

	test('the user links an account at an identity provider and signs in with it', async () => {
		const { page } = people.other
		await press(page, 'Link Company')
		await people.passProvider(page, 'grace')
		await heading(page, 'Your account')
		await page.getByRole('button', { name: 'Unlink Company' }).waitFor()
		await signOut(page, 'Grace')
		await page.goto(people.ui('/keys'))
		await page.getByRole('link', { name: 'Continue with Company' }).click()
		await heading(page, 'Keys & tokens')
	})

	test('a failed sign-in through a provider shows the reason', async () => {
		const stranger = await openPage(people.browser, people.program.url)
		await stranger.page.goto(people.ui('/sign-in'))
		await stranger.page.getByRole('link', { name: 'Continue with Company' }).click()
		await people.passProvider(stranger.page, 'impostor')
		await stranger.page
			.getByRole('alert')
			.getByText('An account with this e-mail address already exists')
			.waitFor()
		await stranger.context.close()
	})

	test('an existing user opens an invitation, signs in, and joins with the existing account', async () => {
		await press(people.ada.page, 'Workspace default')
		await people.ada.page.getByRole('menuitem', { name: 'Create workspace' }).click()
		await fill(people.ada.page.getByRole('dialog'), 'Name', 'Operations')
		await press(people.ada.page.getByRole('dialog'), 'Create workspace')
		await people.ada.page.getByRole('button', { name: 'Workspace Operations' }).waitFor()
		const link = await people.invite(grace.email, 'member')
		const { page } = people.other
		await signOut(page, 'Grace')
		await page.goto(link)
		await heading(page, 'Join Operations')
		await page.getByRole('link', { name: 'Sign in', exact: true }).click()
		await signIn(page, grace)
		await press(page, 'Join Operations')
		await page.getByRole('button', { name: 'Workspace Operations' }).waitFor()
		await page.goto(people.ui('/workspace?tab=settings'))
		await page.getByText('You are member here.').waitFor()
	})
})

describeAdministration(() => people)

test('the tests caused no content policy violations and no script errors', () => {
	expect(people.faults()).toEqual([])
})
