import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../../config/config.ts'
import { openTestSqlite } from '../../../platform/database/testing.ts'
import { startTestApp, type TestApp } from '../testing.ts'
import { Browser } from './testing/browser.ts'
import { type GithubUser, startGithub } from './testing/start-github.ts'

describe('sign-in by GitHub', () => {
	let user: GithubUser
	let app: TestApp
	const ends: (() => unknown)[] = []
	beforeAll(async () => {
		const github = await startGithub(() => user)
		const { store, end } = await openTestSqlite()
		const { signInProviders } = readConfig({
			SIGNALBOX_OIDC_GITHUB_ISSUER: github.url,
			SIGNALBOX_OIDC_GITHUB_CLIENT_ID: 'Iv1.test',
			SIGNALBOX_OIDC_GITHUB_CLIENT_SECRET: 'github secret',
			SIGNALBOX_OIDC_GITHUB_GROUPS: 'acme/platform=default:admin',
		})
		app = await startTestApp(store, { config: { signInProviders } })
		ends.push(() => app.close(), end, github.close)
	})
	afterAll(async () => {
		for (const end of ends) await end()
	})

	const signIn = async () => {
		const browser = new Browser()
		const isEnd = (url: URL) => url.origin === app.url && url.pathname.startsWith('/ui/')
		const { url } = await browser.open(new URL(`${app.url}/auth/oauth/github/start`), isEnd)
		const token = browser.cookie(url, 'signalbox-0') ?? ''
		return { end: url.pathname + url.search, me: (await app.request('GET', '/auth/me', { token })).body }
	}
	const mail = (email: string, primary: boolean, verified: boolean) => ({ email, primary, verified })

	it('uses the numeric id as subject, the verified primary address, and teams as groups', async () => {
		user = {
			id: 7,
			login: 'octo',
			emails: [mail('old@example.org', false, true), mail('Octo@example.org', true, true)],
			teams: ['platform'],
		}
		const first = await signIn()
		expect(first.end).toBe('/ui/')
		expect(first.me.user).toMatchObject({ email: 'octo@example.org', name: 'octo' })
		expect(first.me.workspaces).toMatchObject([{ name: 'default', role: 'admin' }])
		user = { ...user, login: 'renamed', emails: [mail('new@example.org', true, true)] }
		expect((await signIn()).me.user.id).toBe(first.me.user.id)
		// The mock sends its teams on every page, so that they never end.
		user = { ...user, teams: Array.from({ length: 100 }, (_, at) => `team-${at}`) }
		expect((await signIn()).end).toBe('/ui/sign-in?error=groups_incomplete')
		user = { ...user, id: 8, login: 'octo', teams: ['platform'] }
		expect((await signIn()).me.user.id).not.toBe(first.me.user.id)
	})

	it('accepts no address that is not primary and verified', async () => {
		user = {
			id: 9,
			login: 'x',
			emails: [mail('x@example.org', true, false), mail('y@example.org', false, true)],
			teams: [],
		}
		expect((await signIn()).end).toBe('/ui/sign-in?error=email_missing')
	})
})
