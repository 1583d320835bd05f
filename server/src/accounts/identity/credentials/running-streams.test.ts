import { get, type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeWithStore } from '../../../platform/database/testing.ts'
import { principalIn, type Route } from '../../../platform/http/route.ts'
import { openIdentityAdmin } from '../admin.ts'
import { startTestApp, type TestApp, type TestCore, type TestPerson } from '../testing.ts'

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

	it('end within a second when their key loses a scope, while others continue', async () => {
		const body = { name: 'x', scopes: ['proxy:invoke', 'telemetry:read'] }
		const { id, key } = (await app.request('POST', '/v1/keys', { token: app.owner.token, body })).body
		const ofKey = await openStream(key)
		const kept = await openStream(app.owner.token)
		const lost = { scopes: ['telemetry:read'] }
		await app.request('PATCH', `/v1/keys/${id}`, { token: app.owner.token, body: lost })
		await ofKey.ended
		expect(kept.stream.destroyed).toBe(false)
		kept.stream.destroy()
	})

	it('end within a second when their person is no longer an operator', async () => {
		const person = await app.register()
		const admin = openIdentityAdmin(app)
		await admin.changeOperator(person.email, true)
		await app.feed.catchUp()
		const { ended } = await openStream(person.token)
		await admin.changeOperator(person.email, false)
		await app.feed.catchUp()
		await ended
	})

	it('end within a second when their session is revoked', async () => {
		const person = await app.register()
		const { ended } = await openStream(person.token)
		const startedAt = performance.now()
		await app.request('POST', '/auth/logout', { token: person.token })
		expect((await ended) - startedAt).toBeLessThan(5000)
	})
})

describeWithStore('a request of the platform API that goes on for long', (store) => {
	let app: TestApp
	beforeAll(async () => {
		const route: Route = {
			id: 'test.export',
			method: 'GET',
			path: '/export',
			access: { kinds: ['platform_key', 'user'], scope: 'telemetry:read' },
			family: 'api',
			streams: true,
			handle: (_request, response) => void response.write('first lines'),
		}
		app = await startTestApp(store(), { open: () => ({ routes: [route] }) })
	})
	afterAll(() => app.close())

	const newKey = async (scopes = ['keys:write', 'telemetry:read']) =>
		(await app.request('POST', '/v1/keys', { token: app.owner.token, body: { name: 'x', scopes } })).body
	const asOwner = (method: string, path: string, body?: object) =>
		app.request(method, path, { token: app.owner.token, ...(body && { body }) })
	const changes: Record<string, (id: string) => Promise<unknown>> = {
		'is revoked': (id) => asOwner('DELETE', `/v1/keys/${id}`),
		'loses a scope': (id) => asOwner('PATCH', `/v1/keys/${id}`, { scopes: ['mcp:invoke'] }),
		'may come from other addresses only': (id) =>
			asOwner('PATCH', `/v1/keys/${id}`, { allowed_addresses: ['10.0.0.0/8'] }),
	}

	it.each(Object.keys(changes))('is cut in the middle of a file when its key %s', async (name) => {
		const { id, key } = await newKey()
		const headers = { authorization: `Bearer ${key}` }
		const file = await new Promise<IncomingMessage>((resolve) =>
			get(`${app.url}/export`, { headers }, resolve),
		)
		const ended = new Promise((resolve) => file.on('error', resolve))
		await new Promise((resolve) => file.once('data', resolve))
		await changes[name]?.(id)
		await ended
	})

	/** `work` runs when the head of the request was accepted, before its body is complete. */
	async function createSlowly(token: string, work: () => Promise<unknown>): Promise<number | undefined> {
		const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
		const sent = request(`${app.url}/v1/ingest-tokens`, { method: 'POST', headers })
		const answered = new Promise<IncomingMessage>((resolve) => sent.once('response', resolve))
		sent.write('{"name":')
		await new Promise((resolve) => setTimeout(resolve, 100))
		await work()
		sent.end('"too late"}')
		const response = await answered
		response.resume()
		return response.statusCode
	}
	const made = async () => {
		const { ingest_tokens } = (await asOwner('GET', '/v1/ingest-tokens')).body
		return ingest_tokens.filter(({ name }: { name: string }) => name === 'too late').length
	}

	it('changes nothing when its key was changed before its body arrived', async () => {
		for (const change of Object.values(changes)) {
			const { id, key } = await newKey(['keys:write'])
			expect([401, 403]).toContain(await createSlowly(key, () => change(id)))
		}
		expect(await made()).toBe(0)
	})

	it('changes nothing when its person was removed, got a lower role or signed out meanwhile', async () => {
		const member = () => app.memberOf('admin')
		const memberPath = ({ userId }: TestPerson) => `/v1/workspaces/${app.owner.workspaceId}/members/${userId}`
		const [removed, lowered, left] = [await member(), await member(), await member()]
		const ways: [string, () => Promise<unknown>][] = [
			[removed.token, () => asOwner('DELETE', memberPath(removed))],
			[lowered.token, () => asOwner('PATCH', memberPath(lowered), { role: 'viewer' })],
			[left.token, () => app.request('POST', '/auth/logout', { token: left.token })],
		]
		for (const [token, change] of ways) expect([401, 403]).toContain(await createSlowly(token, change))
		expect(await made()).toBe(0)
		expect(await createSlowly(app.owner.token, async () => {})).toBe(201)
	})
})
