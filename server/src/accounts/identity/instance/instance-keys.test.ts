import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { manualClock } from '../../../platform/clock.ts'
import { loadOrCreateMasterKey } from '../../../platform/crypto/master-key-file.ts'
import { describeWithStore } from '../../../platform/database/testing.ts'
import { verifyAudit } from '../../audit/audit.ts'
import { publishedFirstMs } from '../sessions/signing-keys.ts'
import { startTestApp, type TestApp } from '../testing.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

describeWithStore('keys of the instance', (store) => {
	const dataDir = mkdtempSync(join(tmpdir(), 'signalbox-instance-'))
	const { path } = loadOrCreateMasterKey(dataDir)
	const clock = manualClock()
	let app: TestApp
	beforeAll(async () => {
		app = await startTestApp(store(), { clock, dataDir })
	})
	afterAll(async () => {
		await app.close()
		rmSync(dataDir, { recursive: true, force: true })
	})

	const ask = (method: string, address: string, body?: unknown, token = app.owner.token) =>
		app.request(method, address, { token, ...(body !== undefined && { body }) })
	const advance = async (ms: number) => {
		clock.advance(ms)
		await app.feed.catchUp()
	}
	const logIn = async () => {
		const { email, password } = app.owner
		return (await app.request('POST', '/auth/login', { body: { email, password } })).body.token as string
	}
	const works = async (token: string, on = app) => (await on.request('GET', '/auth/me', { token })).status
	const kidOf = (token: string) =>
		JSON.parse(Buffer.from(token.split('.')[0] as string, 'base64url').toString()).kid
	const published = async () =>
		(await app.request('GET', '/.well-known/jwks.json')).body.keys.map(({ kid }: { kid: string }) => kid)

	describe('signing keys', () => {
		it('a new key is published before it signs; the old one verifies until its last token has expired', async () => {
			const before = await logIn()
			const rotated = await ask('POST', '/v1/instance/signing-keys/rotate')
			expect(rotated.body.signing_keys.map((key: { status: string }) => key.status)).toEqual([
				'next',
				'signing',
			])
			const [newId, oldId] = rotated.body.signing_keys.map(({ id }: { id: string }) => id)
			expect(await published()).toEqual([newId, oldId])
			expect(kidOf(await logIn())).toBe(oldId)

			await advance(publishedFirstMs)
			const last = before
			const after = await logIn()
			expect(kidOf(after)).toBe(newId)
			expect([await works(last), await works(after)]).toEqual([200, 200])
			await advance(hourMs - publishedFirstMs - 1)
			expect(await works(last)).toBe(200)
			await advance(2 * 60_000 + publishedFirstMs)
			const other = await startTestApp(store(), { clock, dataDir, withoutOwner: true })
			try {
				await expect.poll(published).toEqual([newId])
				app.owner.token = await logIn()
				expect(await works(app.owner.token, other)).toBe(200)
			} finally {
				await other.close()
			}
		})

		it('another node accepts the new tokens from the first one on', async () => {
			const other = await startTestApp(store(), { clock, dataDir, withoutOwner: true })
			try {
				const { body } = await ask('POST', '/v1/instance/signing-keys/rotate')
				await advance(publishedFirstMs)
				await other.feed.catchUp()
				const token = await logIn()
				expect(kidOf(token)).toBe(body.signing_keys[0].id)
				expect(await works(token, other)).toBe(200)
			} finally {
				await other.close()
			}
		})

		it('a leaked key is invalidated at once', async () => {
			const before = await logIn()
			expect((await ask('POST', '/v1/instance/signing-keys/rotate', { immediate: true })).status).toBe(200)
			expect(await works(before)).toBe(401)
			app.owner.token = await logIn()
			expect(await works(app.owner.token)).toBe(200)
			expect(await published()).toHaveLength(1)
		})

		it('are rotated automatically after 90 days, once, also when two nodes start together', async () => {
			const [before] = await published()
			await advance(90 * dayMs)
			const nodes = await Promise.all(
				[1, 2].map(() => startTestApp(store(), { clock, dataDir, withoutOwner: true })),
			)
			await expect.poll(async () => (await published()).length).toBe(2)
			await Promise.all(nodes.map((node) => node.close()))
			await app.feed.catchUp()
			expect((await published())[1]).toBe(before)
			expect(await published()).toHaveLength(2)
			app.owner.token = await logIn()
		})
	})

	describe('the master key', () => {
		it('is replaced while requests run; sessions, tokens and the audit chain stay valid', async () => {
			const file = readFileSync(path, 'utf8')
			const { body: before } = await ask('GET', '/v1/instance/master-key')
			expect(before).toMatchObject({ source: 'file', rotation: null })
			const login = await app.request('POST', '/auth/login', {
				body: { email: app.owner.email, password: app.owner.password },
			})
			const started = await ask('POST', '/v1/instance/master-key/rotate')
			expect(started.status).toBe(202)
			expect(started.body.key_id).not.toBe(before.key_id)
			const state = async () => (await ask('GET', '/v1/instance/master-key')).body.rotation
			await expect.poll(async () => (await state()).state).toBe('done')
			const { done, total } = await state()
			expect([done > 0, done]).toEqual([true, total])
			expect(readFileSync(path, 'utf8')).not.toBe(file)

			const refresh = { body: { refresh_token: login.body.refresh_token } }
			expect((await app.request('POST', '/auth/refresh', refresh)).status).toBe(200)
			expect(await works(login.body.token)).toBe(200)
			const { sealer } = app
			expect(await verifyAudit(store(), sealer)).toMatchObject({ intact: true, bad: null })
		})
	})

	it('are only for operators', async () => {
		const person = await app.register()
		for (const [method, address] of [
			['GET', '/v1/instance/master-key'],
			['POST', '/v1/instance/master-key/rotate'],
			['GET', '/v1/instance/signing-keys'],
			['POST', '/v1/instance/signing-keys/rotate'],
		] as const)
			expect((await ask(method, address, undefined, person.token)).status).toBe(403)
	})
})
