import { afterAll, beforeAll, expect, it } from 'vitest'
import { manualClock } from '../../platform/clock.ts'
import { describeWithStore } from '../../platform/database/testing.ts'
import { startTestApp, type TestApp } from '../identity/testing.ts'
import { deleteOldEvents } from './event-repository.ts'
import { appendEvent, type Events, openEvents } from './events.ts'
import { hasFormOf, watchEvents } from './testing.ts'

const day = 24 * 60 * 60 * 1000

describeWithStore('the stream of events', (store) => {
	const clock = manualClock()
	let app: TestApp
	let events: Events
	const tuning = { heartbeatMs: 50, bufferBytes: 20_000, patienceMs: 500 }
	beforeAll(async () => {
		app = await startTestApp(store(), {
			clock,
			open: (core) => {
				events = openEvents({ ...core, tuning })
				return { routes: events.routes }
			},
		})
	})
	afterAll(() => app.close())

	const auth = (token = app.owner.token) => ({ authorization: `Bearer ${token}` })
	const watch = (query = '', headers: Record<string, string> = auth()) =>
		watchEvents(`${app.url}/v1/events${query}`, headers)
	const addKey = async (name: string, scopes?: string[], token = app.owner.token) =>
		(await app.request('POST', '/v1/keys', { token, body: { name, ...(scopes && { scopes }) } })).body

	it('shows changes as they are made, in the format of the catalogue', async () => {
		const watcher = await watch()
		const { id } = await addKey('seen')
		await watcher.until((seen) => seen.length > 0)
		const [first] = watcher.seen()
		expect(first).toEqual({
			id: expect.any(String),
			event: 'keys.create',
			data: {
				id: first?.id,
				type: 'keys.create',
				timestamp: new Date(clock.nowMs()).toISOString(),
				data: {
					actor: { kind: 'user', id: app.owner.userId, name: app.owner.email },
					target: { kind: 'key', id, name: 'seen' },
					detail: expect.any(Object),
					request_id: expect.any(String),
					audit_id: expect.any(String),
				},
			},
		})
		expect(hasFormOf('keys.create', first?.data.data)).toBe(true)
		expect(watcher.headers['content-type']).toContain('text/event-stream')
		expect(watcher.text()).toMatch(/^retry: 3000\n\n/)
		watcher.close()
	})

	it('resumes after the last id, without gaps or repeats', async () => {
		const first = await watch()
		await addKey('a')
		await first.until((seen) => seen.length === 1)
		first.close()
		for (const name of ['b', 'c', 'd']) await addKey(name)
		const lastId = first.seen()[0]?.id as string
		const second = await watch('', { ...auth(), 'last-event-id': lastId })
		await addKey('e')
		await second.until((seen) => seen.length === 4)
		expect(second.seen().map(({ data }) => data.data.target.name)).toEqual(['b', 'c', 'd', 'e'])
		second.close()
	})

	it('reports an unknown last id', async () => {
		const watcher = await watch('', { ...auth(), 'last-event-id': 'nonsense' })
		await watcher.until((seen) => seen.length === 1)
		expect(watcher.seen()).toEqual([{ id: undefined, event: 'gap', data: { missed: null } }])
		watcher.close()
	})

	it('shows changes that another process made', async () => {
		const watcher = await watch()
		const other = await startTestApp(store(), { clock, withoutOwner: true })
		await other.request('POST', '/v1/keys', { token: app.owner.token, body: { name: 'elsewhere' } })
		await watcher.until((seen) => seen.some(({ data }) => data.data.target.name === 'elsewhere'))
		await other.close()
		watcher.close()
	})

	it('shows nothing of another workspace', async () => {
		const stranger = await app.register()
		const theirs = await watch('', auth(stranger.token))
		await addKey('ours')
		await addKey('theirs', undefined, stranger.token)
		await theirs.until((seen) => seen.length > 0)
		expect(theirs.seen().map(({ data }) => data.data.target.name)).toEqual(['theirs'])
		const ourId = (await store().db.selectFrom('events').selectAll().orderBy('id', 'desc').execute()).find(
			({ workspace_id }) => workspace_id === app.owner.workspaceId,
		)?.id as string
		const resumed = await watch('', { ...auth(stranger.token), 'last-event-id': ourId })
		await resumed.until((seen) => seen.length === 1)
		expect(resumed.seen()[0]?.event).toBe('gap')
		theirs.close()
		resumed.close()
	})

	it('shows each caller only events that it may read', async () => {
		const viewer = await app.memberOf('viewer')
		const byViewer = await watch('', auth(viewer.token))
		const { key } = await addKey('narrow', ['telemetry:read', 'keys:read'])
		const byKey = await watch('', auth(key))
		await app.request('PATCH', `/v1/workspaces/${app.owner.workspaceId}`, {
			token: app.owner.token,
			body: { name: 'Renamed' },
		})
		await addKey('last')
		for (const watcher of [byViewer, byKey])
			await watcher.until((seen) => seen.some(({ data }) => data.data.target.name === 'last'))
		for (const watcher of [byViewer, byKey]) {
			expect(new Set(watcher.seen().map(({ event }) => event))).toEqual(new Set(['keys.create']))
			watcher.close()
		}
		const owner = await watch('?types=workspaces.*')
		await app.request('PATCH', `/v1/workspaces/${app.owner.workspaceId}`, {
			token: app.owner.token,
			body: { name: 'Once more' },
		})
		await owner.until((seen) => seen.length === 1)
		expect(owner.seen()[0]?.event).toBe('workspaces.update')
		owner.close()
	})

	it.each(['types=keys.create,keys.fly', 'colour=red'])('refuses %s', async (query) => {
		expect((await app.request('GET', `/v1/events?${query}`, { token: app.owner.token })).status).toBe(400)
	})

	it('names the types close to a mistyped one', async () => {
		const refused = await app.request('GET', '/v1/events?types=key.create', { token: app.owner.token })
		expect(refused.body.detail).toMatch(/which is no type of event; did you mean keys\.create/)
	})

	it('refuses a type that the caller may not see, and callers without the right', async () => {
		const viewer = await app.memberOf('viewer')
		const refused = await app.request('GET', '/v1/events?types=auth.login', { token: viewer.token })
		expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining('role auditor')])
		const { key } = await addKey('blind', ['keys:read'])
		expect((await app.request('GET', '/v1/events', { token: key })).status).toBe(403)
	})

	it('ends with the credential', async () => {
		const { id, key } = await addKey('ending', ['telemetry:read', 'keys:read'])
		const watcher = await watch('', auth(key))
		await app.request('DELETE', `/v1/keys/${id}`, { token: app.owner.token })
		await watcher.ended
		expect(watcher.seen().map(({ event }) => event)).not.toContain('keys.revoke')
	})

	it('keeps the connection open with comments', async () => {
		const watcher = await watch()
		for (let turn = 0; !watcher.text().includes(': \n\n: \n\n') && turn < 100; turn += 1)
			await new Promise((wait) => setTimeout(wait, 20))
		expect(watcher.text()).toContain(': \n\n: \n\n')
		watcher.close()
	})

	const append = (data: Record<string, unknown>, type = 'limits.replace') =>
		app.mutate((tx) => appendEvent(tx, { workspaceId: app.owner.workspaceId, type, data }, clock))

	it('has no secrets, and never more than 20 kB', async () => {
		const watcher = await watch()
		const data = {
			actor: { kind: 'user', id: null, name: 'sk_service_abc' },
			detail: { note: 'sk_service_abc' },
		}
		await append(data)
		await append({ ...data, detail: { text: 'é'.repeat(20_000) } })
		await append(data, 'no.such_type')
		await watcher.until((seen) => seen.length >= 2)
		expect(watcher.text()).not.toContain('sk_service_abc')
		expect(watcher.seen()[1]?.data.data.detail).toEqual({ truncated: true })
		expect(watcher.seen()).toHaveLength(2)
		watcher.close()
	})

	it('is lost with the change when the transaction fails', async () => {
		const before = (await store().db.selectFrom('events').select('id').execute()).length
		const failing = app.mutate(async (tx) => {
			await app.audit.record(tx, {
				workspaceId: app.owner.workspaceId,
				actor: { kind: 'system', id: null, name: 'test' },
				action: 'limits.replace',
			})
			throw new Error('the change failed')
		})
		await expect(failing).rejects.toThrow('the change failed')
		expect((await store().db.selectFrom('events').select('id').execute()).length).toBe(before)
	})

	it('numbers the events of a workspace without holes when many are written at once', async () => {
		await Promise.all(Array.from({ length: 40 }, () => append({ detail: {} })))
		const rows = await store()
			.db.selectFrom('events')
			.select('seq')
			.where('workspace_id', '=', app.owner.workspaceId)
			.orderBy('seq')
			.execute()
		expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index + 1))
	})

	it('disconnects a client that reads nothing; on reconnecting it misses nothing', async () => {
		const watcher = await watch('?types=limits.replace')
		await append({ detail: { first: true } })
		await watcher.until((seen) => seen.length === 1)
		watcher.pause()
		for (let count = 0; count < 600; count += 1) await append({ detail: { text: 'x'.repeat(15_000), count } })
		await new Promise((wait) => setTimeout(wait, 1500))
		watcher.resume()
		await watcher.ended
		const got = watcher.seen().map(({ data }) => data.data.detail.count)
		expect(got.length).toBeLessThan(600)
		const again = await watch('?types=limits.replace', {
			...auth(),
			'last-event-id': watcher.seen().at(-1)?.id as string,
		})
		await again.until((seen) => seen.at(-1)?.data.data.detail.count === 599)
		const all = [...got, ...again.seen().map(({ data }) => data.data.detail.count)]
		expect(all).toEqual([undefined, ...Array.from({ length: 600 }, (_, count) => count)])
		again.close()
	}, 60_000)

	const call = (toolName: string, source = 'gateway', workspaceId = app.owner.workspaceId) => ({
		workspaceId,
		traceId: 'a'.repeat(32),
		source,
		kind: 'tool_call',
		status: 'ok',
		errorType: '',
		startNs: 1_780_000_000_000_000_000n,
		durationNs: 2_500_000n,
		agentId: 'agent',
		agentName: 'Agent',
		serverId: 'server',
		serverName: 'Server',
		toolName,
		connection: '',
		model: '',
		modelRequested: '',
		sessionId: '',
	})

	it('shows calls to clients that ask for them, and counts what a slow one misses', async () => {
		const asking = await watch('?types=call.finished,keys.*')
		const others = await watch()
		events.showCalls([call('echo'), call('sent', 'otlp'), call('foreign', 'gateway', 'w2')])
		await asking.until((seen) => seen.length === 1)
		const [first] = asking.seen()
		expect(first).toMatchObject({
			id: undefined,
			event: 'call.finished',
			data: { type: 'call.finished', data: { tool: 'echo', status: 'ok', duration_ms: 2.5 } },
		})
		expect(hasFormOf('call.finished', first?.data.data)).toBe(true)
		asking.pause()
		const many = 40_000
		for (let count = 0; count < many; count += 100)
			events.showCalls(Array.from({ length: 100 }, () => call('flood')))
		asking.resume()
		await asking.until((seen) => {
			const missed = seen.filter(({ event }) => event === 'gap').map(({ data }) => data.missed as number)
			return missed.reduce((sum, one) => sum + one, 0) + seen.length - missed.length === many + 1
		})
		expect(asking.seen().some(({ event }) => event === 'gap')).toBe(true)
		expect(others.seen()).toEqual([])
		asking.close()
		others.close()
	})

	it('is deleted after a day; a client that returns later is notified of the gap', async () => {
		const { db } = store()
		const old = await db.selectFrom('events').select('id').orderBy('id').limit(1).execute()
		clock.advance(2 * day)
		expect(await deleteOldEvents(db, clock.nowMs() - day)).toBe(false)
		const left = await db.selectFrom('events').select('workspace_id').distinct().execute()
		expect(await db.selectFrom('events').select('id').execute()).toHaveLength(left.length)
		const login = await app.request('POST', '/auth/login', {
			body: { email: app.owner.email, password: app.owner.password },
		})
		const watcher = await watch('', { ...auth(login.body.token), 'last-event-id': old[0]?.id as string })
		await watcher.until((seen) => seen[0]?.event === 'gap')
		watcher.close()
	})

	it('ends all streams when the program stops', async () => {
		const login = await app.request('POST', '/auth/login', {
			body: { email: app.owner.email, password: app.owner.password },
		})
		const watcher = await watch('', auth(login.body.token))
		events.endStreams()
		await watcher.ended
		expect(watcher.status).toBe(200)
	})
})
