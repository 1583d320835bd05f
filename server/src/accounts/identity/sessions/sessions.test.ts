import { tokenPrefixes } from '@signalbox/contract'
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { manualClock } from '../../../platform/clock.ts'
import { newToken } from '../../../platform/crypto/token.ts'
import { describeOnBothDatabases } from '../../../platform/database/testing.ts'
import { startTestApp, type TestApp, type TestPerson } from '../testing.ts'

describeOnBothDatabases('sessions', (store) => {
	const clock = manualClock()
	let app: TestApp
	beforeAll(async () => {
		app = await startTestApp(store(), { clock })
	})
	afterAll(() => app.close())

	const advance = async (ms: number) => {
		clock.advance(ms)
		await app.feed.catchUp()
	}
	const me = (token: string) => app.request('GET', '/auth/me', { token })
	const refresh = (token: string) => app.request('POST', '/auth/refresh', { body: { refresh_token: token } })
	const logIn = async ({ email, password }: TestPerson) =>
		(await app.request('POST', '/auth/login', { body: { email, password } })).body

	it('log in as the specification shows', async () => {
		const { email, password, userId, workspaceId } = app.owner
		const answer = await app.request('POST', '/auth/login', {
			body: { email: email.toUpperCase(), password },
		})
		expect(answer.status).toBe(200)
		expect(answer.headers.get('set-cookie')).toBe(null)
		expect(answer.headers.get('cache-control')).toBe('no-store')
		expect(answer.body).toEqual({
			token: expect.stringMatching(/^eyJ/),
			token_type: 'Bearer',
			expires_at: expect.stringMatching(/Z$/),
			refresh_token: expect.stringMatching(/^rt_service_[0-9A-Za-z]{49}$/),
			user: { id: userId, email, name: '', verified: false, time_zone: null },
			workspaces: [{ id: workspaceId, name: 'default', slug: 'default', role: 'owner' }],
		})
		const shown = await me(answer.body.token)
		expect(shown.body).toMatchObject({ operator: true, workspace: { id: workspaceId, role: 'owner' } })
	})

	it('show times in the zone that the person chose, in every browser', async () => {
		const choose = (time_zone: unknown, token = app.owner.token) =>
			app.request('PATCH', '/auth/me', { token, body: { time_zone } })
		expect((await choose('Pacific/Apia')).body).toMatchObject({ time_zone: 'Pacific/Apia' })
		const elsewhere = await logIn(app.owner)
		expect(elsewhere).toMatchObject({ user: { time_zone: 'Pacific/Apia' } })
		expect((await me(elsewhere.token)).body.user.time_zone).toBe('Pacific/Apia')
		const refused = await choose('Mars/Olympus')
		expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, '/time_zone'])
		expect((await choose(null)).body.time_zone).toBeNull()
		expect((await me(elsewhere.token)).body.user.time_zone).toBeNull()
	})

	it('give access tokens that an independent library verifies by the published keys', async () => {
		const jwks = await app.request('GET', '/.well-known/jwks.json')
		expect(Object.keys(jwks.body.keys[0])).not.toContain('d')
		const { payload, protectedHeader } = await jwtVerify(app.owner.token, createLocalJWKSet(jwks.body), {
			algorithms: ['ES256'],
			audience: 'signalbox-api',
			typ: 'at+jwt',
			currentDate: new Date(clock.nowMs()),
		})
		expect(payload).toMatchObject({ sub: app.owner.userId, workspace: app.owner.workspaceId })
		expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600)
		expect(protectedHeader.kid).toBe(jwks.body.keys[0].kid)
	})

	it('refuse every forged access token', async () => {
		const [head = '', body = '', signature = ''] = app.owner.token.split('.')
		const { kid } = decodeProtectedHeader(app.owner.token)
		const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
		const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
		const hmac = await new SignJWT(claims)
			.setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: kid as string })
			.sign(Buffer.from('x'.repeat(32)))
		const forged = [
			`${encode({ alg: 'none', typ: 'at+jwt', kid })}.${body}.`,
			`${encode({ alg: 'none', typ: 'at+jwt', kid })}.${body}.${signature}`,
			`${encode({ alg: 'ES256', typ: 'JWT', kid })}.${body}.${signature}`,
			`${head}.${encode({ ...claims, workspace: 'other' })}.${signature}`,
			`${head}.${body}.${signature.slice(0, -4)}AAAA`,
			`${head}.${body}`,
			`${encode({ alg: 'ES256', typ: 'at+jwt', kid: '__proto__' })}.${body}.${signature}`,
			hmac,
		]
		for (const token of forged) expect((await me(token)).status).toBe(401)
		expect((await me(app.owner.token)).status).toBe(200)
	})

	it('have an access token for an hour, and get a new one with the refresh token', async () => {
		const session = await logIn(app.owner)
		await advance(60 * 60 * 1000)
		expect((await me(session.token)).status).toBe(401)
		const renewed = await refresh(session.refresh_token)
		expect(renewed.status).toBe(200)
		expect((await me(renewed.body.token)).status).toBe(200)
		expect(renewed.body.refresh_token).not.toBe(session.refresh_token)
	})

	it('accept the previous token with the same successor for ten seconds', async () => {
		const session = await logIn(app.owner)
		const answers = await Promise.all([
			refresh(session.refresh_token),
			refresh(session.refresh_token),
			refresh(session.refresh_token),
		])
		expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
		expect(new Set(answers.map(({ body }) => body.refresh_token)).size).toBe(1)
		await advance(9_000)
		const late = await refresh(session.refresh_token)
		expect(late.body.refresh_token).toBe(answers[0]?.body.refresh_token)
		expect((await refresh(late.body.refresh_token)).status).toBe(200)
	})

	it('are revoked when a refresh token is reused later', async () => {
		const session = await logIn(app.owner)
		const renewed = await refresh(session.refresh_token)
		await advance(11_000)
		const reused = await refresh(session.refresh_token)
		expect([reused.status, reused.body.code]).toEqual([401, 'session_ended'])
		expect((await me(renewed.body.token)).status).toBe(401)
		expect((await refresh(renewed.body.refresh_token)).status).toBe(401)
	})

	it('are revoked at once when a very old refresh token is reused', async () => {
		const first = await logIn(app.owner)
		const second = (await refresh(first.refresh_token)).body
		const third = (await refresh(second.refresh_token)).body
		expect((await refresh(first.refresh_token)).status).toBe(401)
		expect((await me(third.token)).status).toBe(401)
		const { body } = await app.request('GET', '/v1/audit?limit=2', { token: (await logIn(app.owner)).token })
		expect(body.audit[1]).toMatchObject({
			action: 'auth.revoke_session',
			actor: { kind: 'system', name: 'refresh token reuse' },
		})
	})

	it('refuse refresh tokens that are malformed or belong to no session', async () => {
		for (const token of [
			'x',
			newToken(tokenPrefixes.session),
			newToken(tokenPrefixes.key),
			app.owner.refreshToken.slice(0, -1),
		]) {
			const answer = await refresh(token)
			expect([answer.status, answer.body.code]).toEqual([401, 'session_ended'])
		}
		expect((await app.request('POST', '/auth/refresh')).status).toBe(401)
	})

	it('last thirty days, however often they are refreshed', async () => {
		let session = await logIn(app.owner)
		for (let day = 0; day < 29; day += 7) {
			await advance(7 * 24 * 60 * 60 * 1000)
			const answer = await refresh(session.refresh_token)
			if (day >= 28) expect(answer.status).toBe(401)
			else session = answer.body
		}
	})

	it('end with a logout, and are listed and revoked only by their owner', async () => {
		const person = await app.register()
		const other = await logIn(person)
		const listed = await app.request('GET', '/auth/sessions', { token: person.token })
		expect(listed.body.sessions).toHaveLength(2)
		const mine = listed.body.sessions.find(({ current }: { current: boolean }) => current)
		const others = listed.body.sessions.find(({ current }: { current: boolean }) => !current)
		const stranger = await app.register()
		expect(
			(await app.request('DELETE', `/auth/sessions/${others.id}`, { token: stranger.token })).status,
		).toBe(404)
		expect((await app.request('DELETE', `/auth/sessions/${others.id}`, { token: person.token })).status).toBe(
			204,
		)
		expect((await me(other.token)).status).toBe(401)
		expect((await app.request('POST', '/auth/logout', { token: person.token })).status).toBe(204)
		expect((await me(person.token)).status).toBe(401)
		expect((await refresh(person.refreshToken)).status).toBe(401)
		expect(mine.id).not.toBe(others.id)
	})

	it('move to another workspace of the same person, and to no other', async () => {
		const member = await app.memberOf('member')
		const own = (await me(member.token)).body.workspaces.find(
			({ id }: { id: string }) => id !== member.workspaceId,
		)
		const moved = await app.request('POST', '/auth/switch', {
			token: member.token,
			body: { workspace_id: own.id },
		})
		expect((await me(moved.body.token)).body.workspace.role).toBe('owner')
		const stranger = await app.register()
		const refused = await app.request('POST', '/auth/switch', {
			token: member.token,
			body: { workspace_id: stranger.workspaceId },
		})
		expect(refused.status).toBe(404)
	})

	it('never move to a workspace that their person leaves at that moment', async () => {
		for (let round = 0; round < 8; round += 1) {
			const { token, userId, workspaceId, refreshToken } = await app.memberOf('member')
			const { workspaces } = (await me(token)).body
			const own = workspaces.find(({ id }: { id: string }) => id !== workspaceId).id
			const switchTo = (workspace_id: string, as: string) =>
				app.request('POST', '/auth/switch', { token: as, body: { workspace_id } })
			const away = (await switchTo(own, token)).body.token
			const path = `/v1/workspaces/${workspaceId}/members/${userId}`
			await Promise.all([app.request('DELETE', path, { token }), switchTo(workspaceId, away)])
			const renewed = (await refresh(refreshToken)).body.token
			expect((await me(renewed)).body.workspace?.id).toBe(own)
		}
	})

	it('lose access to a workspace when the person is no longer a member', async () => {
		const { appendChange } = await import('../../../platform/changes.ts')
		const member = await app.memberOf('member')
		await app.mutate(async (tx) => {
			await tx
				.deleteFrom('members')
				.where('user_id', '=', member.userId)
				.where('workspace_id', '=', member.workspaceId)
				.execute()
			await appendChange(tx, 'user', member.userId, clock)
		})
		expect((await me(member.token)).status).toBe(401)
	})

	it('end when the person is removed', async () => {
		const { appendChange } = await import('../../../platform/changes.ts')
		const person = await app.register()
		await app.mutate(async (tx) => {
			await tx.deleteFrom('users').where('id', '=', person.userId).execute()
			await appendChange(tx, 'user', person.userId, clock)
		})
		expect((await me(person.token)).status).toBe(401)
		expect((await refresh(person.refreshToken)).status).toBe(401)
	})
})
