import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithStore } from '../../platform/database/testing.ts'
import { startTestApp, type TestApp } from './testing.ts'

describeWithStore('two nodes on one store', (store) => {
	let one: TestApp
	let two: TestApp
	beforeAll(async () => {
		one = await startTestApp(store())
		// Simulates two programs on one machine or on two: neither has a configured public URL.
		two = await startTestApp(store(), { config: { HOST: '127.0.0.2', PORT: 7778 } })
	})
	afterAll(() => Promise.all([one.close(), two.close()]))
	const newKey = async () =>
		(
			await one.request('POST', '/v1/keys', {
				token: one.owner.token,
				body: { name: 'x', scopes: ['keys:read'] },
			})
		).body
	const list = (app: TestApp, key: string) =>
		app.request('GET', '/v1/keys', { headers: { 'x-api-key': key } })

	it('accept each other’s access tokens and keys at once', async () => {
		expect((await one.request('GET', '/auth/me', { token: two.owner.token })).status).toBe(200)
		expect((await two.request('GET', '/auth/me', { token: one.owner.token })).status).toBe(200)
		for (let round = 0; round < 5; round += 1)
			expect((await list(two, (await newKey()).key)).status).toBe(200)
	})

	it('refuse within five seconds what the other has revoked', async () => {
		const { id, key } = await newKey()
		expect((await list(two, key)).status).toBe(200)
		await one.request('DELETE', `/v1/keys/${id}`, { token: one.owner.token })
		await one.request('POST', '/auth/logout', { token: one.owner.token })
		const statuses = async () => [
			(await list(two, key)).status,
			(await two.request('GET', '/auth/me', { token: one.owner.token })).status,
		]
		await expect.poll(statuses, { timeout: 10_000, interval: 50 }).toEqual([401, 401])
	})
})
