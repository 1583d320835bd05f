import { randomBytes } from 'node:crypto'
import { tokenPrefixes } from '@signalbox/contract'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { manualClock } from '../../../platform/clock.ts'
import { openKeyring } from '../../../platform/crypto/open-keyring.ts'
import { newToken } from '../../../platform/crypto/token.ts'
import { describeOnBothDatabases, openTestSqlite } from '../../../platform/database/testing.ts'
import type { IdentityConfig } from '../instance/instance-view.ts'
import { startTestApp, type TestApp } from '../testing.ts'
import { addSetupToken } from './headless-start.ts'

describe('the setup link', () => {
	const clock = manualClock()
	let app: TestApp
	let database: Awaited<ReturnType<typeof openTestSqlite>>
	beforeEach(async () => {
		database = await openTestSqlite()
		app = await startTestApp(database.store, { clock, withoutOwner: true })
	})
	afterEach(async () => {
		await app.close()
		await database.end()
	})
	const person = { email: 'first@example.org', password: 'a good long password' }
	const use = (setup_token: string, input: object = person) =>
		app.request('POST', '/auth/setup', { body: { setup_token, ...input } })
	const linkOf = () => app.identity.setupToken as string

	it('is the only way to sign in before the first operator', async () => {
		const registered = await app.request('POST', '/auth/register', { body: person })
		expect([registered.status, registered.body.code]).toEqual([403, 'setup_required'])
		expect((await app.request('POST', '/auth/login', { body: person })).status).toBe(401)
		expect((await app.request('GET', '/auth/methods')).body).toEqual({
			password: true,
			providers: [],
			signup: 'open',
			setup_required: true,
		})
	})

	it('creates the operator and the workspace default, once', async () => {
		const [one, two] = await Promise.all([
			use(linkOf()),
			use(linkOf(), { ...person, email: 'second@example.org' }),
		])
		expect([one.status, two.status].sort()).toEqual([201, 403])
		const made = one.status === 201 ? one : two
		const me = await app.request('GET', '/auth/me', { token: made.body.token })
		expect(me.body).toMatchObject({ operator: true, workspace: { name: 'default', role: 'owner' } })
		const again = await use(linkOf())
		expect([again.status, again.body.code]).toEqual([403, 'setup_link_invalid'])
		expect((await app.request('GET', '/auth/methods')).body.setup_required).toBe(false)
		expect(
			(await app.request('POST', '/auth/register', { body: { ...person, email: 'third@example.org' } }))
				.status,
		).toBe(201)
	})

	it('invalidates every other link when one was used', async () => {
		const other = await addSetupToken(app)
		expect((await use(linkOf())).status).toBe(201)
		clock.advance(-60_000)
		expect((await use(other, { ...person, email: 'x@example.org' })).status).toBe(403)
	})

	it('expires after fifteen minutes', async () => {
		clock.advance(15 * 60 * 1000)
		await app.feed.catchUp()
		expect((await use(linkOf())).status).toBe(403)
	})

	it('cannot be guessed or shortened, and survives a weak password', async () => {
		for (const token of [
			'',
			linkOf().slice(0, -1),
			newToken(tokenPrefixes.setup),
			newToken(tokenPrefixes.key),
		]) {
			expect((await use(token)).status).toBe(403)
		}
		expect((await use(linkOf(), { ...person, password: 'Password1' })).body.code).toBe('weak_password')
		expect((await use(linkOf())).status).toBe(201)
	})

	it('is stored as a hash only', async () => {
		const rows = await database.store.db.selectFrom('setup_links').selectAll().execute()
		expect(JSON.stringify(rows)).not.toContain(linkOf().slice(11))
	})
})

describeOnBothDatabases('a headless first start', (store) => {
	const key = newToken(tokenPrefixes.key)
	const token = newToken(tokenPrefixes.ingestToken)
	const config: Partial<IdentityConfig> = {
		INIT_ADMIN_EMAIL: 'Operator@Example.org',
		INIT_ADMIN_PASSWORD: 'a good long password',
		INIT_PLATFORM_KEY: key,
		INIT_INGEST_TOKEN: token,
	}
	const closing: (() => Promise<void>)[] = []
	afterAll(() => Promise.all(closing.map((close) => close())))
	const start = async (given: Partial<IdentityConfig>) => {
		const app = await startTestApp(store(), { config: given, withoutOwner: true })
		closing.push(app.close)
		return app
	}

	it('refuses malformed values or a weak password, and creates nothing', async () => {
		await expect(start({ ...config, INIT_PLATFORM_KEY: 'sk_service_changeme' })).rejects.toThrow(
			/SIGNALBOX_INIT_PLATFORM_KEY is not of the form/,
		)
		await expect(start({ ...config, INIT_INGEST_TOKEN: key })).rejects.toThrow(/SIGNALBOX_INIT_INGEST_TOKEN/)
		await expect(start({ ...config, INIT_ADMIN_PASSWORD: 'password1' })).rejects.toThrow(/most common/)
		expect(await store().db.selectFrom('users').selectAll().execute()).toEqual([])
	})

	it('creates the operator, the workspace and the credentials, once for many nodes and starts', async () => {
		const apps = await Promise.all([start(config), start(config)])
		const again = await start(config)
		for (const app of [...apps, again]) {
			expect(app.identity.setupToken).toBe(null)
			const listed = await app.request('GET', '/v1/keys', { headers: { 'x-service-api-key': key } })
			expect(listed.body.pagination.total).toBe(1)
		}
		const login = await again.request('POST', '/auth/login', {
			body: { email: 'operator@example.org', password: 'a good long password' },
		})
		expect(login.body.workspaces).toEqual([
			{ id: expect.any(String), name: 'default', slug: 'default', role: 'owner' },
		])
		const tokens = await again.request('GET', '/v1/ingest-tokens', { token: login.body.token })
		expect(tokens.body.ingest_tokens).toHaveLength(1)
	})
})

describeOnBothDatabases('an instance', (store) => {
	it('cannot start with another master key', async () => {
		await (await startTestApp(store())).close()
		const opening = openKeyring(store(), { newest: randomBytes(32), previous: null }, manualClock())
		await expect(opening).rejects.toThrow(/^The master key is not the one of this store\./)
	})
})
