import type { Browser, Locator, Page } from 'playwright-core'
import {
	startProvider,
	type TestProvider,
} from '../../server/src/accounts/identity/federation/testing/start-provider.ts'
import { launchBrowser, leaveBrowser, openPage, type Watched } from './browser.ts'
import { type FreshProgram, startFreshProgram } from './fresh-program.ts'
import { showScreen } from './screen-faults.ts'

export const operator = { email: 'ada@example.com', password: 'correct horse battery staple' }
export const grace = { email: 'grace@example.com', password: 'nanoseconds are this long' }

export interface People {
	program: FreshProgram
	provider: TestProvider
	browser: Browser
	/** The operator's page, in a browser context of its own. */
	ada: Watched
	/** Another person's page, in another browser context. */
	other: Watched
	ui(path: string): string
	/** Invites a person with the form, and returns the link that the form shows because no mail server is configured. */
	invite(email: string, role: string): Promise<string>
	/** Copies the newest link of this kind for a person from the operator's list of links. */
	mailLink(email: string, kind: 'verify' | 'reset'): Promise<string>
	/** Signs in on the pages of the provider, which accept any password. */
	passProvider(page: Page, subject: string): Promise<void>
	/** Content policy violations, requests to other hosts and script errors so far, except those of the provider's pages. */
	faults(): string[]
	stop(): Promise<void>
}

/** Starts the program with a real identity provider, and creates the operator's account. */
export async function startPeople(): Promise<People> {
	const provider = await startProvider()
	const settings = {
		SIGNALBOX_OIDC_COMPANY_ISSUER: provider.issuer,
		SIGNALBOX_OIDC_COMPANY_CLIENT_ID: provider.clientId,
		SIGNALBOX_OIDC_COMPANY_CLIENT_SECRET: provider.clientSecret,
		SIGNALBOX_OIDC_COMPANY_LABEL: 'Company',
	}
	const program = await startFreshProgram(settings, { withTables: true })
	provider.serve(`${program.url}/auth/oauth/company/callback`)
	const browser = await launchBrowser()
	const ada = await openPage(browser, program.url)
	const other = await openPage(browser, program.url)
	const ui = (path: string) => `${program.url}/ui${path}`
	await setUp(ada.page, program.setupLink)
	return {
		program,
		provider,
		browser,
		ada,
		other,
		ui,
		invite: (email, role) => inviteBy(ada.page, program.url, email, role),
		mailLink: (email, kind) => mailLinkBy(ada.page, program.url, email, kind),
		passProvider: (page, subject) => passProvider(page, provider.issuer, subject),
		faults: () =>
			[...ada.faults, ...other.faults].filter(
				(fault) => !fault.includes(provider.issuer) && !fault.startsWith('outside: https://fonts.'),
			),
		stop: async () => {
			await leaveBrowser()
			provider.close()
			await program.stop()
		},
	}
}

async function setUp(page: Page, setupLink: string): Promise<void> {
	await page.goto(setupLink)
	await fill(page, 'E-mail', operator.email)
	await fill(page, 'Password', operator.password)
	await press(page, 'Create admin account')
	await heading(page, 'Getting started')
}

export async function fill(within: Page | Locator, label: string, text: string): Promise<void> {
	await within.getByLabel(label, { exact: true }).fill(text)
}

export async function press(within: Page | Locator, name: string): Promise<void> {
	await within.getByRole('button', { name, exact: true }).click()
}

export function heading(page: Page, name: string | RegExp): Promise<void> {
	return page.getByRole('heading', { name, level: 1 }).waitFor()
}

export async function signOut(page: Page, name: string): Promise<void> {
	await press(page, name)
	await page.getByRole('menuitem', { name: 'Sign out' }).click()
	await heading(page, 'Sign in')
}

export async function signIn(page: Page, { email, password }: typeof grace): Promise<void> {
	await fill(page, 'E-mail', email)
	await fill(page, 'Password', password)
	await press(page, 'Sign in')
}

async function inviteBy(page: Page, origin: string, email: string, role: string): Promise<string> {
	await showScreen(page, origin, '/workspace?invite=true')
	const dialog = page.getByRole('dialog')
	await fill(dialog, 'E-mail', email)
	await dialog.getByLabel('Role', { exact: true }).selectOption(role)
	await press(dialog, 'Invite')
	const link = (await dialog.getByTestId('secret').textContent()) ?? ''
	if (!link.startsWith(`${origin}/ui/invitation#token=`)) throw new Error(`Not an invitation: ${link}`)
	await dialog.getByRole('checkbox').click()
	await press(dialog, 'Done')
	await dialog.waitFor({ state: 'hidden' })
	return link
}

async function mailLinkBy(
	page: Page,
	origin: string,
	email: string,
	kind: 'verify' | 'reset',
): Promise<string> {
	await page.goto(`${origin}/ui/instance?tab=links`)
	const subject = kind === 'verify' ? /confirm/i : /password/i
	const row = page.getByRole('row').filter({ hasText: email }).filter({ hasText: subject }).first()
	await press(row, 'Copy link')
	await row.getByText('Copied').waitFor()
	const link = await page.evaluate<string>('navigator.clipboard.readText()')
	if (!link.startsWith(`${origin}/ui/${kind}#token=`)) throw new Error(`Not a link to ${kind}: ${link}`)
	return link
}

async function passProvider(page: Page, issuer: string, subject: string): Promise<void> {
	await page.locator('input[name=login]').fill(subject)
	await page.locator('input[name=password]').fill('any')
	await page.locator('button[type=submit]').click()
	const goOn = page.getByRole('button', { name: 'Continue', exact: true })
	await goOn.or(page.getByText('Signalbox', { exact: true }).first()).waitFor()
	if (page.url().startsWith(issuer)) await goOn.click()
}
