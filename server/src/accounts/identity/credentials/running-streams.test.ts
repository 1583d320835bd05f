import { get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithStore } from '../../../platform/database/testing.ts'
import { principalIn, type Route } from '../../../platform/http/route.ts'
import { startTestApp, type TestApp, type TestCore } from '../testing.ts'

/** A stream that stays open as long as its caller has access, like those of the gateway. */
function streamRoute({ identity }: TestCore): Route {
	return {
		id: 'test.stream',
		method: 'GET',
		path: '/stream',
		access: { kinds: ['platform_key', 'user'], scope: 'proxy:invoke' },
		family: 'api',
		handle: (_request, response, context) => {
			const principal = principalIn(context)
			context.guard(
				() => identity.stillValid(principal),
				() => response.destroy(),
			)
			response.write('open')
		},
	}
}

describeWithStore('running streams', (store) => {
	let app: TestApp
	beforeAll(async () => {
		app = await startTestApp(store(), { open: (core) => ({ routes: [streamRoute(core)] }) })
	})
	afterAll(() => app.close())

	const openStream = async (token: string) => {
		const stream = await new Promise<IncomingMessage>((resolve) =>
			get(`${app.url}/stream`, { headers: { authorization: `Bearer ${token}` } }, resolve),
		)
		const ended = new Promise<number>((resolve) => stream.on('error', () => resolve(performance.now())))
		await new Promise((resolve) => stream.once('data', resolve))
		return { stream, ended }
	}

	it('end within a second when their key is revoked, while others continue', async () => {
		const create = () =>
			app.request('POST', '/v1/keys', {
				token: app.owner.token,
				body: { name: 'x', scopes: ['proxy:invoke'] },
			})
		const [one, two] = [(await create()).body, (await create()).body]
		const [cut, kept] = [await openStream(one.key), await openStream(two.key)]
		const startedAt = performance.now()
		await app.request('DELETE', `/v1/keys/${one.id}`, { token: app.owner.token })
		expect((await cut.ended) - startedAt).toBeLessThan(5000)
		expect(kept.stream.readableEnded || kept.stream.destroyed).toBe(false)
		kept.stream.destroy()
	})

	it('end with the grace period of their rotated secret, while those of the new secret continue', async () => {
		const { id, key } = (
			await app.request('POST', '/v1/keys', {
				token: app.owner.token,
				body: { name: 'x', scopes: ['proxy:invoke'] },
			})
		).body
		const old = await openStream(key)
		const rotate = { token: app.owner.token, body: { grace_s: 0 } }
		const { key: next } = (await app.request('POST', `/v1/keys/${id}/rotate`, rotate)).body
		const kept = await openStream(next)
		await old.ended
		expect(kept.stream.destroyed).toBe(false)
		kept.stream.destroy()
	})

	it('end within a second when their key no longer allows their address', async () => {
		const body = { name: 'x', scopes: ['proxy:invoke'] }
		const { id, key } = (await app.request('POST', '/v1/keys', { token: app.owner.token, body })).body
		const { stream, ended } = await openStream(key)
		const change = (allowed_addresses: string[]) =>
			app.request('PATCH', `/v1/keys/${id}`, { token: app.owner.token, body: { allowed_addresses } })
		expect((await change(['127.0.0.0/8', '::1/128'])).status).toBe(200)
		expect((await app.request('GET', '/auth/me', { token: app.owner.token })).status).toBe(200)
		expect(stream.destroyed).toBe(false)
		const startedAt = performance.now()
		await change(['10.0.0.0/8'])
		expect((await ended) - startedAt).toBeLessThan(5000)
	})

	it('end within a second when their session is revoked', async () => {
		const person = await app.register()
		const { ended } = await openStream(person.token)
		const startedAt = performance.now()
		await app.request('POST', '/auth/logout', { token: person.token })
		expect((await ended) - startedAt).toBeLessThan(5000)
	})
})
