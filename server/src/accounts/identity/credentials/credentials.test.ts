import { agentKeyScopes, defaultKeyScopes, type Scope, scopes, tokenPrefixes } from '@signalbox/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newToken } from '../../../platform/crypto/token.ts'
import { describeOnBothDatabases } from '../../../platform/database/testing.ts'
import { sendJson } from '../../../platform/http/refusals.ts'
import type { Route } from '../../../platform/http/route.ts'
import { newId } from '../../../platform/ids.ts'
import { startTestApp, type TestApp } from '../testing.ts'

const answerPrincipal: Route['handle'] = (_request, response, { principal }) =>
	sendJson(response, 200, { kind: principal?.kind })
const testRoutes: Route[] = [
	{
		id: 'test.ingest',
		method: 'POST',
		path: '/ingest',
		access: { kinds: ['ingest_token'] },
		family: 'otlp',
		handle: answerPrincipal,
	},
	{
		id: 'test.model',
		method: 'POST',
		path: '/model',
		access: { kinds: ['platform_key', 'agent_key'], scope: 'proxy:invoke' },
		family: 'model',
		modelCredentials: true,
		handle: answerPrincipal,
	},
]

describeOnBothDatabases('credentials', (store) => {
	let app: TestApp
	let agentId: string
	beforeAll(async () => {
		app = await startTestApp(store(), { open: () => ({ routes: testRoutes }) })
		agentId = await insertAgent(app.owner.workspaceId)
	})
	afterAll(() => app.close())

	const insertAgent = async (workspaceId: string) => {
		const id = newId()
		const agent = {
			id,
			workspace_id: workspaceId,
			name: id,
			description: '',
			status: 'active',
			last_seen_at: null,
			model_access: '{"mode":"all"}',
			created_at: 1,
			updated_at: 1,
		}
		await store().db.insertInto('agents').values(agent).execute()
		return id
	}
	const create = async (path: string, body: object, token = app.owner.token) => {
		const answer = await app.request('POST', path, { token, body: { name: 'test', ...body } })
		if (answer.status !== 201) throw new Error(answer.text)
		return answer.body
	}
	const newKey = (body: object = {}) =>
		create('/v1/keys', { scopes: ['keys:read'] satisfies Scope[], ...body })
	const list = (headers: Record<string, string>) => app.request('GET', '/v1/keys', { headers })

	it('shows a secret once and stores its hash', async () => {
		const { key, ...shown } = await create('/v1/keys', { name: 'CI' })
		expect(key).toMatch(new RegExp(`^${tokenPrefixes.key}[0-9A-Za-z]{49}$`))
		expect(shown).toMatchObject({
			name: 'CI',
			status: 'active',
			agent_uuid: null,
			expires_at: null,
			last_used_at: null,
			scopes: defaultKeyScopes,
		})
		expect(key.startsWith(shown.prefix) && key.endsWith(shown.last4)).toBe(true)
		const listed = await app.request('GET', '/v1/keys?limit=100', { token: app.owner.token })
		expect(listed.body.keys[0]).toEqual(shown)
		expect(listed.text).not.toContain(key)
		const row = await store()
			.db.selectFrom('credentials')
			.selectAll()
			.where('id', '=', shown.id)
			.executeTakeFirstOrThrow()
		expect(JSON.stringify(row)).not.toContain(key.slice(15, -4))
	})

	it('accepts a platform key in any of three headers, but only one at a time', async () => {
		const { key } = await newKey()
		const forms = [{ 'x-service-api-key': key }, { authorization: `Bearer ${key}` }, { 'x-api-key': key }]
		const answers = await Promise.all(forms.map((headers) => list(headers as Record<string, string>)))
		// The time of last use, which is part of the answers, may be written between them.
		const shown = answers.map(({ status, body }) => [status, body.keys.map(({ id }: { id: string }) => id)])
		expect(shown).toEqual(Array(3).fill([200, shown[0]?.[1]]))
		expect(shown[0]?.[1]).not.toEqual([])
		for (const headers of [
			{ 'x-service-api-key': key, 'x-api-key': key },
			{ authorization: `Bearer ${key}`, 'x-api-key': key },
		]) {
			const answer = await list(headers)
			expect([answer.status, answer.body.code]).toEqual([400, 'ambiguous_credentials'])
		}
		const other = (await newKey()).key
		expect((await list({ 'x-service-api-key': key, 'x-api-key': other })).status).toBe(400)
		expect((await list({ authorization: key })).status).toBe(401)
		expect((await list({ authorization: `Basic ${btoa(`x:${key}`)}` })).status).toBe(401)
		expect((await list({ 'x-goog-api-key': key })).status).toBe(401)
		expect((await app.request('GET', `/v1/keys?key=${key}`)).status).toBe(401)
	})

	it('says whether a credential is missing, or is there but not accepted', async () => {
		const detail = async (headers: Record<string, string>) => (await list(headers)).body.detail
		const missing = await detail({})
		expect(missing).toMatch(
			/^The request has no credential\. This endpoint takes an access token \(JWT\) or a/,
		)
		const agent_uuid = await insertAgent(app.owner.workspaceId)
		const agent = await newKey({ agent_uuid, scopes: undefined })
		const refused: Record<string, string>[] = [
			{ 'x-service-api-key': 'garbage' },
			{ 'x-service-api-key': `${tokenPrefixes.key}${'x'.repeat(49)}` },
			// Well-formed and unknown: only this one is looked up in the store.
			{ 'x-service-api-key': newToken(tokenPrefixes.key) },
			{ authorization: 'Bearer eyJ.a.b' },
			{ authorization: `Bearer ${agent.key}` },
		]
		const answers = new Set(await Promise.all(refused.map(detail)))
		expect(answers.size, [...answers].join(' | ')).toBe(1)
		expect([...answers][0]).toMatch(/^The credential is unknown, or not of a kind for this endpoint\. /)
	})

	it('refuses anything but a complete, known key, without distinguishing the cases', async () => {
		const { key } = await newKey()
		const wrong = [
			key.slice(0, -1),
			`${key}x`,
			key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a'),
			"sk_service_' or 1=1 --",
			tokenPrefixes.key,
			'garbage',
		]
		for (const text of wrong) {
			const answer = await list({ 'x-service-api-key': text })
			expect([text, answer.status, answer.body.code]).toEqual([text, 401, 'unauthenticated'])
			expect(answer.headers.get('www-authenticate')).toContain('Bearer')
		}
	})

	it('stops a revoked key at once, and revoking again changes nothing', async () => {
		const { id, key } = await newKey()
		expect((await list({ 'x-api-key': key })).status).toBe(200)
		const revoke = () => app.request('DELETE', `/v1/keys/${id}`, { token: app.owner.token })
		expect((await revoke()).status).toBe(204)
		const refused = await list({ 'x-api-key': key })
		expect([refused.status, refused.body.detail]).toEqual([
			401,
			'This credential was revoked. Replace it with a new one, or connect the client again.',
		])
		expect((await revoke()).status).toBe(204)
		const records = await store()
			.db.selectFrom('audit_log')
			.select('id')
			.where('target_id', '=', id)
			.where('action', '=', 'keys.revoke')
			.execute()
		expect(records).toHaveLength(1)
	})

	it('stops a key when it expires', async () => {
		const { key } = await newKey({ expires_at: new Date(Date.now() + 300).toISOString() })
		expect((await list({ 'x-api-key': key })).status).toBe(200)
		await new Promise((resolve) => setTimeout(resolve, 350))
		expect((await list({ 'x-api-key': key })).status).toBe(401)
		const past = await app.request('POST', '/v1/keys', {
			token: app.owner.token,
			body: { name: 'x', expires_at: '2020-01-01T00:00:00.000Z' },
		})
		expect([past.status, past.body.errors[0].pointer]).toEqual([400, '/expires_at'])
	})

	it('accepts an ingest token in its five forms for ingestion, and nowhere else', async () => {
		const { token, id } = await create('/v1/ingest-tokens', {})
		expect(token).toMatch(/^it_service_[0-9A-Za-z]{49}$/)
		const values = [`Bearer ${token}`, `Bearer%20${token}`, token, `Basic ${btoa(`anyone:${token}`)}`]
		const forms = values.map((authorization) => ({ authorization }))
		for (const headers of [...forms, { 'x-api-key': token }]) {
			expect((await app.request('POST', '/ingest', { headers })).body).toEqual({ kind: 'ingest_token' })
			expect((await list(headers)).status).toBe(401)
		}
		const { key } = await newKey()
		expect((await app.request('POST', '/ingest', { token: key })).status).toBe(401)
		await app.request('DELETE', `/v1/ingest-tokens/${id}`, { token: app.owner.token })
		expect((await app.request('POST', '/ingest', { token })).status).toBe(401)
	})

	it("accepts Google's forms of a key on model routes, and a provider's own key besides ours", async () => {
		const { key } = await newKey({ scopes: ['proxy:invoke'] })
		const call = (headers: Record<string, string>, query = '') =>
			app.request('POST', `/model${query}`, { headers })
		expect((await call({ 'x-goog-api-key': key })).body).toEqual({ kind: 'platform_key' })
		expect((await call({}, `?alt=sse&key=${key}`)).body).toEqual({ kind: 'platform_key' })
		expect(
			(await call({ 'x-service-api-key': key, authorization: 'Bearer sk-proj-of-the-caller' })).status,
		).toBe(200)
		expect((await call({ 'x-service-api-key': key, 'x-api-key': 'sk-ant-of-the-caller' })).status).toBe(200)
		expect((await call({ 'x-service-api-key': key }, `?key=${key}`)).status).toBe(400)
		// A mistyped key of ours must not reach a provider.
		expect((await call({ 'x-service-api-key': key, authorization: `Bearer ${key}x` })).status).toBe(400)
		expect((await call({ authorization: 'Bearer sk-proj-of-the-caller' })).status).toBe(401)
	})

	it('makes agent keys that can only act as an agent of the same workspace', async () => {
		const made = await newKey({ agent_uuid: agentId, scopes: undefined })
		expect(made).toMatchObject({ agent_uuid: agentId, scopes: agentKeyScopes })
		expect((await app.request('POST', '/model', { token: made.key })).body).toEqual({ kind: 'agent_key' })
		expect((await list({ 'x-api-key': made.key })).status).toBe(401)
		const tooMuch = await app.request('POST', '/v1/keys', {
			token: app.owner.token,
			body: { name: 'x', agent_uuid: agentId, scopes: ['keys:write'] },
		})
		expect([tooMuch.status, tooMuch.body.errors[0].pointer]).toEqual([400, '/scopes'])
		const stranger = await app.register()
		const foreign = await app.request('POST', '/v1/keys', {
			token: stranger.token,
			body: { name: 'x', agent_uuid: agentId },
		})
		expect(foreign.status).toBe(404)
		const mine = await app.request('GET', `/v1/keys?agent_uuid=${agentId}`, { token: app.owner.token })
		expect(mine.body.keys.map(({ id }: { id: string }) => id)).toEqual([made.id])
	})

	it('lets no key grant a scope that it lacks, and records the attempt', async () => {
		const { key } = await newKey({ scopes: ['keys:write', 'keys:read'] })
		const answer = await app.request('POST', '/v1/keys', {
			token: key,
			body: { name: 'more', scopes: ['keys:read', 'telemetry:read'] },
		})
		expect([answer.status, answer.body.code]).toEqual([403, 'forbidden'])
		expect(answer.body.detail).toContain('telemetry:read')
		expect(
			(await app.request('POST', '/v1/keys', { token: key, body: { name: 'same', scopes: ['keys:read'] } }))
				.status,
		).toBe(201)
		const denied = await store()
			.db.selectFrom('audit_log')
			.selectAll()
			.where('request_id', '=', answer.body.request_id)
			.execute()
		expect(denied.map(({ action, actor_kind }) => [action, actor_kind])).toEqual([['denied', 'platform_key']])
	})

	it('lets a key do what its scopes allow, and names a missing one', async () => {
		const { key } = await newKey({ scopes: scopes.filter((scope) => scope !== 'keys:read') })
		const answer = await list({ 'x-api-key': key })
		expect([answer.status, answer.body.detail]).toEqual([403, 'This needs the scope keys:read.'])
	})

	it('lets a viewer list keys but not create them, naming the role and recording the denial', async () => {
		const viewer = await app.memberOf('viewer')
		expect((await app.request('GET', '/v1/keys', { token: viewer.token })).status).toBe(200)
		const answer = await app.request('POST', '/v1/keys', { token: viewer.token, body: { name: 'x' } })
		expect([answer.status, answer.body.detail]).toEqual([403, 'This needs the role admin; yours is viewer.'])
		const { body } = await app.request('GET', '/v1/audit?limit=5', { token: app.owner.token })
		expect(body.audit[0]).toMatchObject({
			action: 'denied',
			actor: { kind: 'user', name: viewer.email },
			request_id: answer.body.request_id,
			detail: { operation: 'keys.create' },
		})
	})

	it("responds to another workspace's key id as to an unknown one", async () => {
		const { id, key } = await newKey()
		const stranger = await app.register()
		const revoke = (path: string) => app.request('DELETE', path, { token: stranger.token })
		const [foreign, unknown, malformed] = await Promise.all([
			revoke(`/v1/keys/${id}`),
			revoke(`/v1/keys/${newId()}`),
			revoke('/v1/keys/nonsense'),
		])
		for (const answer of [foreign, unknown, malformed]) {
			expect({ ...answer.body, request_id: '' }).toEqual({ ...unknown.body, request_id: '' })
			expect(answer.status).toBe(404)
		}
		expect((await revoke(`/v1/ingest-tokens/${id}`)).status).toBe(404)
		expect((await list({ 'x-api-key': key })).status).toBe(200)
		expect((await app.request('GET', '/v1/keys', { token: stranger.token })).body.keys).toEqual([])
	})

	it('writes the last use later, not with the request', async () => {
		const lastUseOf = async (id: string) =>
			(await app.request('GET', '/v1/keys?limit=100', { token: app.owner.token })).body.keys.find(
				(found: { id: string }) => found.id === id,
			).last_used_at
		/** The id of a key that was just used; null if its last use is written already. */
		const useNewKey = async () => {
			const { id, key } = await newKey()
			await list({ 'x-api-key': key })
			return (await lastUseOf(id)) === null ? (id as string) : null
		}
		// Uses are written every five seconds. That may happen between the two requests, but not twice in a row.
		const id = (await useNewKey()) ?? (await useNewKey())
		expect(id).not.toBeNull()
		await expect.poll(() => lastUseOf(id as string), { timeout: 10_000, interval: 200 }).toMatch(/^\d{4}-/)
	})

	it('drops the keys of a removed agent', async () => {
		const removed = await insertAgent(app.owner.workspaceId)
		const { key } = await newKey({ agent_uuid: removed, scopes: undefined })
		const { appendChange } = await import('../../../platform/changes.ts')
		await app.mutate(async (tx) => {
			await tx.deleteFrom('agents').where('id', '=', removed).execute()
			await appendChange(tx, 'agent', removed, app.clock)
		})
		expect((await app.request('POST', '/model', { token: key })).status).toBe(401)
	})
})
