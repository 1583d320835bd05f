import { decodeJwt, importJWK, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { manualClock } from '../../../platform/clock.ts'
import { describeWithStore } from '../../../platform/database/testing.ts'
import { createLog } from '../../../platform/log.ts'
import { Browser } from './testing/browser.ts'
import { type FederationStage, settingsOf, startStage } from './testing/stage.ts'
import { startProvider, type TestProvider } from './testing/start-provider.ts'

const failed = (code: string) => `/ui/sign-in?error=${code}`

describeWithStore('a sign-in under way', (store) => {
	const clock = manualClock(Date.now())
	const logged: string[] = []
	let stage: FederationStage
	let other: TestProvider
	beforeAll(async () => {
		other = await startProvider()
		const log = createLog('warn', { write: (line) => void logged.push(line) })
		stage = await startStage(store(), { clock, log, more: [settingsOf(other, 'other')] })
		other.serve(`${stage.app.url}/auth/oauth/other/callback`)
		for (const provider of [stage.provider, other])
			provider.accounts.set('bob', {
				email: `bob@${new URL(provider.issuer).port}.example`,
				email_verified: true,
			})
	})
	afterEach(() => {
		logged.length = 0
		for (const provider of [stage.provider, other]) Object.assign(provider, { tamper: null, up: true })
	})
	afterAll(async () => {
		await stage.close()
		other.close()
	})

	const tampered = (change: (claims: Record<string, unknown>) => Promise<string>) => {
		stage.provider.tamper = async (context) => {
			if (context.path === '/token' && context.body.id_token)
				context.body.id_token = await change(decodeJwt(context.body.id_token))
		}
	}
	const signed = async (claims: Record<string, unknown>, jwk = stage.provider.jwk()) =>
		new SignJWT(claims)
			.setProtectedHeader({ alg: 'RS256', kid: jwk.kid })
			.sign(await importJWK(jwk as never, 'RS256'))
	const outcome = async () => {
		const { browser, callback } = await stage.reachCallback('bob')
		const location = await stage.locationOf(browser, callback)
		return { location, cookie: browser.cookie(callback, 'signalbox-0') }
	}

	it('uses PKCE, state and nonce, bound to the browser by a cookie', async () => {
		const browser = new Browser()
		const url = new URL(await stage.locationOf(browser, stage.startUrl()))
		expect(url.origin).toBe(stage.provider.issuer)
		expect(Object.fromEntries(url.searchParams)).toMatchObject({
			code_challenge_method: 'S256',
			code_challenge: expect.stringMatching(/^[\w-]{43}$/),
			state: expect.stringMatching(/^[\w-]{43}$/),
			nonce: expect.stringMatching(/^[\w-]{43}$/),
			redirect_uri: `${stage.app.url}/auth/oauth/test/callback`,
		})
		const { headers } = await new Browser().request(stage.startUrl())
		expect(headers.get('set-cookie')).toMatch(
			/^signalbox-0-sign-in=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
		)
		const rows = await store().db.selectFrom('sign_in_flows').selectAll().execute()
		expect(JSON.stringify(rows)).not.toContain(url.searchParams.get('state'))
	})

	it('completes once: a replayed callback is refused and creates no session', async () => {
		const { browser, callback } = await stage.reachCallback('bob')
		expect(await stage.locationOf(browser, callback)).toBe('/ui/')
		expect(await stage.locationOf(browser, callback)).toBe(failed('flow_invalid'))
	})

	it('asks userinfo whether an address is verified, if the ID token has the address alone', async () => {
		const locationOf = async (login: string, email: string) => {
			stage.provider.accounts.set(login, { email: `${login}@new.example`, email_verified: true })
			tampered(({ email_verified: _absent, ...claims }) => signed({ ...claims, email }))
			const { browser, callback } = await stage.reachCallback(login)
			return stage.locationOf(browser, callback)
		}
		expect(await locationOf('nora', 'nora@new.example')).toBe('/ui/')
		expect(await locationOf('nina', 'Nina@New.example')).toBe('/ui/')
		// What userinfo has verified is another address.
		expect(await locationOf('nils', 'nora@old.example')).toBe(failed('email_unverified'))
	})

	it('is refused, and ends no membership, if the person has groups that the provider did not send', async () => {
		const { workspaceId } = stage.app.owner
		const mapped = { workspace: workspaceId, role: 'member' as const, agentGroups: [], create: false }
		stage.settings.groups = [{ group: 'staff', ...mapped }]
		const signedInWith = (more: object) => {
			tampered((claims) => signed({ ...claims, ...more }))
			return stage.signIn('olga')
		}
		stage.provider.accounts.set('olga', { email: 'olga@new.example', email_verified: true })
		const { token } = await signedInWith({ groups: ['staff'] })
		const overages = [{ _claim_names: { groups: 'src1' }, _claim_sources: { src1: {} } }, { hasgroups: true }]
		for (const overage of overages)
			expect((await signedInWith(overage)).location).toBe(failed('groups_incomplete'))
		const { body } = await stage.app.request('GET', '/auth/me', { token })
		expect(body.workspaces).toMatchObject([{ id: workspaceId, role: 'member' }])
		stage.settings.groupsClaim = 'access.roles'
		expect((await signedInWith({ _claim_names: { access: 'src1' } })).location).toBe(
			failed('groups_incomplete'),
		)
		expect((await signedInWith({ ...overages[0], access: { roles: 'staff' } })).location).toBe('/ui/')
		Object.assign(stage.settings, { groups: [], groupsClaim: 'groups' })
		expect((await stage.signIn('bob')).location).toBe('/ui/')
	})

	it('is refused without its state, with another state, and from another browser', async () => {
		const one = await stage.reachCallback('bob')
		const stateless = new URL(one.callback)
		stateless.searchParams.delete('state')
		expect(await stage.locationOf(one.browser, stateless)).toBe(failed('flow_invalid'))
		stateless.searchParams.set('state', 'x'.repeat(43))
		expect(await stage.locationOf(one.browser, stateless)).toBe(failed('flow_invalid'))
		const stranger = new Browser()
		await stage.locationOf(stranger, stage.startUrl())
		expect(await stage.locationOf(stranger, one.callback)).toBe(failed('flow_invalid'))
		expect(stranger.cookie(one.callback, 'signalbox-0')).toBeUndefined()
		expect(await stage.locationOf(one.browser, one.callback)).toBe(failed('flow_invalid'))
	})

	it('refuses the state of one sign-in with the code of another', async () => {
		const one = await stage.reachCallback('bob')
		const two = await stage.reachCallback('bob')
		one.callback.searchParams.set('code', two.callback.searchParams.get('code') ?? '')
		expect(await stage.locationOf(one.browser, one.callback)).toBe(failed('answer_invalid'))
	})

	it('expires after ten minutes', async () => {
		const { browser, callback } = await stage.reachCallback('bob')
		clock.advance(10 * 60 * 1000)
		await stage.app.feed.catchUp()
		expect(await stage.locationOf(browser, callback)).toBe(failed('flow_invalid'))
	})

	it('refuses a response of another provider (mix-up)', async () => {
		const one = await stage.reachCallback('bob')
		one.callback.searchParams.set('iss', other.issuer)
		expect(await stage.locationOf(one.browser, one.callback)).toBe(failed('answer_invalid'))
		const two = await stage.reachCallback('bob')
		two.callback.searchParams.delete('iss')
		expect(await stage.locationOf(two.browser, two.callback)).toBe(failed('answer_invalid'))
		const three = await stage.reachCallback('bob')
		three.callback.pathname = '/auth/oauth/other/callback'
		expect(await stage.locationOf(three.browser, three.callback)).toBe(failed('flow_invalid'))
	})

	it('refuses a provider that does not announce PKCE with S256', async () => {
		for (const methods of [undefined, ['plain'], []]) {
			stage.provider.tamper = (context) => {
				if (context.path.endsWith('openid-configuration'))
					context.body.code_challenge_methods_supported = methods
			}
			expect(await stage.locationOf(new Browser(), stage.startUrl())).toBe(failed('provider_unsuitable'))
			expect(logged.join()).toContain(`${stage.provider.issuer} does not announce PKCE`)
		}
	})

	it('logs what the provider answered, for the operator', async () => {
		const { clientSecret } = stage.settings
		stage.settings.clientSecret = 'another'
		expect((await outcome()).location).toBe(failed('answer_invalid'))
		stage.settings.clientSecret = clientSecret
		expect(logged.join()).toContain('the provider answered invalid_client: client authentication failed')
	})

	it('refuses every ID token that is not meant for it', async () => {
		const now = Math.floor(Date.now() / 1000)
		const wrong: ((claims: Record<string, unknown>) => Promise<string>)[] = [
			(claims) => signed({ ...claims, aud: 'somebody else' }),
			(claims) => signed({ ...claims, iss: other.issuer }),
			(claims) => signed({ ...claims, nonce: 'another' }),
			({ nonce: _, ...claims }) => signed(claims),
			({ sub: _, ...claims }) => signed(claims),
			(claims) => signed({ ...claims, sub: ' ', email: 'bob@bob.example', email_verified: true }),
			(claims) => signed({ ...claims, exp: now - 600 }),
			(claims) => signed(claims, other.jwk()),
			(claims) => signed(claims, { ...other.jwk(), kid: stage.provider.jwk().kid }),
			async (claims) => new UnsecuredJWT(claims).encode(),
			(claims) =>
				new SignJWT(claims)
					.setProtectedHeader({ alg: 'HS256' })
					.sign(Buffer.from(stage.provider.clientSecret)),
			async (claims) => `${(await signed(claims)).slice(0, -4)}AAAA`,
		]
		for (const change of wrong) {
			tampered(change)
			expect(await outcome()).toEqual({ location: failed('answer_invalid'), cookie: undefined })
		}
		tampered((claims) => signed(claims))
		expect((await outcome()).location).toBe('/ui/')
	})

	it('never shows text from a provider', async () => {
		const { browser, callback } = await stage.reachCallback('bob')
		callback.searchParams.delete('code')
		callback.searchParams.set('error', 'access_denied')
		callback.searchParams.set('error_description', '<script>alert(1)</script>')
		expect(await stage.locationOf(browser, callback)).toBe(failed('provider_refused'))
	})

	it('reports that the provider is down, before and after the redirect, and works when it is up again', async () => {
		const { browser, callback } = await stage.reachCallback('bob')
		stage.provider.up = false
		expect(await stage.locationOf(browser, callback)).toBe(failed('provider_unreachable'))
		expect(await stage.locationOf(new Browser(), stage.startUrl())).toBe(failed('provider_unreachable'))
		stage.provider.up = true
		expect((await outcome()).location).toBe('/ui/')
	})

	it('accepts new keys of the provider at once', async () => {
		expect((await outcome()).location).toBe('/ui/')
		const before = stage.provider.jwk().kid
		stage.provider.serve(`${stage.app.url}/auth/oauth/test/callback`)
		expect(stage.provider.jwk().kid).not.toBe(before)
		expect((await outcome()).location).toBe('/ui/')
	})

	it('does not begin at an unknown provider', async () => {
		const url = new URL(`${stage.app.url}/auth/oauth/removed/start`)
		expect(await stage.locationOf(new Browser(), url)).toBe(failed('provider_unknown'))
	})
})
