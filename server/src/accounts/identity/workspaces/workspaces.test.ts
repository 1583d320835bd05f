import { get, type IncomingMessage } from 'node:http'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { lockNumbering } from '../../../platform/changes.ts'
import { type DatabaseTransaction, isPostgres } from '../../../platform/database/database.ts'
import { describeOnBothDatabases } from '../../../platform/database/testing.ts'
import { principalIn, type Route } from '../../../platform/http/route.ts'
import { startTestApp, type TestApp, type TestCore, type TestPerson } from '../testing.ts'
import { deleteMember } from './workspace-repository.ts'

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

/** How many other transactions wait for `lockNumbering`. */
async function waitingToNumber(tx: DatabaseTransaction): Promise<number> {
	const waiting = sql<{ total: number }>`select count(*) as total from pg_locks
		join pg_database on pg_database.oid = pg_locks.database and datname = current_database()
		where locktype = 'advisory' and objid = 7314001 and not granted`
	return Number((await waiting.execute(tx)).rows[0]?.total)
}

describeOnBothDatabases('a workspace', (store) => {
	let app: TestApp
	let mine: TestPerson
	beforeAll(async () => {
		app = await startTestApp(store(), {
			config: { WORKSPACES_PER_PERSON: 8 },
			open: (core) => ({ routes: [streamRoute(core)] }),
		})
		mine = await app.register()
	})
	afterAll(() => app.close())

	const call = (person: TestPerson, method: string, path: string, body?: unknown) =>
		app.request(method, path, { token: person.token, ...(body !== undefined && { body }) })
	const switchTo = async (person: TestPerson, workspaceId: string): Promise<TestPerson> => {
		const { body } = await call(person, 'POST', '/auth/switch', { workspace_id: workspaceId })
		return { ...person, token: body.token, workspaceId }
	}
	const newWorkspace = async (person: TestPerson, name: string) => {
		const made = await call(person, 'POST', '/v1/workspaces', { name })
		expect(made.status).toBe(201)
		return switchTo(person, made.body.id)
	}
	const streamOf = async (token: string) => {
		const headers = { authorization: `Bearer ${token}` }
		const stream = await new Promise<IncomingMessage>((resolve) =>
			get(`${app.url}/stream`, { headers }, resolve),
		)
		const ended = new Promise<number>((resolve) => stream.on('error', () => resolve(performance.now())))
		await new Promise((resolve) => stream.once('data', resolve))
		return { ended }
	}

	it('is created by a person, who owns it, and is listed with the role', async () => {
		const person = await app.register()
		const made = await call(person, 'POST', '/v1/workspaces', { name: 'Research' })
		expect([made.status, made.body]).toEqual([
			201,
			{
				id: expect.any(String),
				name: 'Research',
				slug: 'research',
				role: 'owner',
				created_at: expect.any(String),
				updated_at: expect.any(String),
			},
		])
		const listed = await call(person, 'GET', '/v1/workspaces?sort=created_at&order=asc')
		expect(
			listed.body.workspaces.map(({ name, role }: { name: string; role: string }) => [name, role]),
		).toEqual([
			[expect.stringContaining('workspace'), 'owner'],
			['Research', 'owner'],
		])
		expect(listed.body.pagination.total).toBe(2)
	})

	it('counts towards the number that a person may own; operators may create more', async () => {
		const person = await app.register()
		// One exists from the sign-up, and nine concurrent requests follow, of which seven are allowed.
		const ask = (who: TestPerson) => call(who, 'POST', '/v1/workspaces', { name: 'Many' })
		const answers = await Promise.all(Array.from({ length: 9 }, () => ask(person)))
		expect(answers.filter(({ status }) => status === 201)).toHaveLength(7)
		expect(answers.find(({ status }) => status === 403)?.body.detail).toContain('8 workspaces')
		for (let made = 0; made < 9; made += 1) expect((await ask(app.owner)).status).toBe(201)
	})

	it('is accessible only with its own credential: any other workspace is unknown, even one of the same person', async () => {
		const other = await newWorkspace(mine, 'Other')
		const read = await call(mine, 'GET', `/v1/workspaces/${mine.workspaceId}`)
		expect(read.body).toMatchObject({ id: mine.workspaceId, role: 'owner' })
		const answers = await Promise.all(
			[other.workspaceId, app.owner.workspaceId, '0192f0c1-2d3e-7a4b-8c5d-6e7f80910213', 'nonsense'].map(
				(id) => call(mine, 'GET', `/v1/workspaces/${id}`),
			),
		)
		for (const { status, body } of answers)
			expect([status, body.detail]).toEqual([404, 'There is no such workspace.'])
	})

	it('is renamed by an admin, accepts what GET returned, and records both names', async () => {
		const path = `/v1/workspaces/${mine.workspaceId}`
		const before = (await call(mine, 'GET', path)).body
		expect((await call(mine, 'PATCH', path, before)).status).toBe(200)
		const renamed = await call(mine, 'PATCH', path, { ...before, name: 'Renamed' })
		expect(renamed.body).toMatchObject({ name: 'Renamed', role: 'owner' })
		const refused = await call(mine, 'PATCH', path, { role: 'viewer' })
		expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, '/role'])
		const { audit } = (await call(mine, 'GET', '/v1/audit?limit=1')).body
		expect(audit[0]).toMatchObject({
			action: 'workspaces.update',
			detail: { name: { before: before.name, after: 'Renamed' } },
		})
	})

	it('is deleted only by repeating its name', async () => {
		const doomed = await newWorkspace(mine, 'Doomed')
		const path = `/v1/workspaces/${doomed.workspaceId}`
		expect((await call(doomed, 'DELETE', path)).status).toBe(400)
		const wrong = await call(doomed, 'DELETE', `${path}?confirm=doomed`)
		expect([wrong.status, wrong.body.errors[0].pointer]).toEqual([400, '/confirm'])
		expect((await call(doomed, 'GET', path)).status).toBe(200)
	})

	it('ends with its keys, its tokens, its undelivered invitations and its running streams within a second', async () => {
		const doomed = await newWorkspace(mine, 'Streams')
		const scopes = ['proxy:invoke', 'keys:read']
		const { key } = (await call(doomed, 'POST', '/v1/keys', { name: 'k', scopes })).body
		const byKey = () => app.request('GET', '/v1/keys', { headers: { 'x-api-key': key } })
		expect((await byKey()).status).toBe(200)
		const streams = [await streamOf(key), await streamOf(doomed.token)]
		const { db } = store()
		await call(doomed, 'POST', `/v1/workspaces/${doomed.workspaceId}/invitations`, {
			...{ email: 'guest@example.org', role: 'viewer' },
		})
		const invited = db.selectFrom('invitations').select('secret_hash as token_hash')
		const { token_hash } = await invited
			.where('workspace_id', '=', doomed.workspaceId)
			.executeTakeFirstOrThrow()
		const times = { created_at: Date.now(), expires_at: Date.now() + 60_000 }
		const link = { id: 'not delivered', recipient: 'guest@example.org', subject: '', sealed_link: '' }
		await db
			.insertInto('mail_links')
			.values({ ...link, ...times, token_hash })
			.execute()
		const startedAt = performance.now()
		const path = `/v1/workspaces/${doomed.workspaceId}?confirm=Streams`
		expect((await call(doomed, 'DELETE', path)).status).toBe(204)
		for (const { ended } of streams) expect((await ended) - startedAt).toBeLessThan(5000)
		expect((await byKey()).status).toBe(401)
		expect((await call(doomed, 'GET', '/auth/me')).status).toBe(401)
		const links = db.selectFrom('mail_links').selectAll().where('token_hash', '=', token_hash)
		expect(await links.execute()).toEqual([])
	})

	it('is deleted while requests create objects in it: they are too early, or find nothing, and none has to retry', async () => {
		const owner = await newWorkspace(await app.register(), 'Crowded')
		const create = (n: number) => call(owner, 'POST', '/v1/keys', { name: `k${n}` })
		const keys = await Promise.all(Array.from({ length: 10 }, (_, n) => create(n)))
		const running = keys.map(({ body }) => call(owner, 'POST', `/v1/keys/${body.id}/rotate`, {}))
		const deleted = call(owner, 'DELETE', `/v1/workspaces/${owner.workspaceId}?confirm=Crowded`)
		running.push(deleted, ...[...keys.keys()].map(create))
		const statuses = (await Promise.all(running)).map(({ status }) => status)
		expect((await deleted).status).toBe(204)
		expect(statuses.filter((status) => ![200, 201, 204, 401, 404].includes(status))).toEqual([])
	})

	it('is deleted while a change that numbers first needs its row: the deletion gives way, and neither fails', async () => {
		const owner = await newWorkspace(await app.register(), 'Entered')
		const { workspaceId } = owner
		const deleted = await store()
			.db.transaction()
			.execute(async (tx) => {
				await lockNumbering(tx)
				const answer = call(owner, 'DELETE', `/v1/workspaces/${workspaceId}?confirm=Entered`)
				if (isPostgres(tx)) await expect.poll(() => waitingToNumber(tx), { interval: 5 }).toBe(1)
				await tx.updateTable('workspaces').set({ name: 'Entered' }).where('id', '=', workspaceId).execute()
				return { answer }
			})
		expect((await deleted.answer).status).toBe(204)
	})

	it('is not entered by a person who is removed while their sign-in is checked', async () => {
		const { email, password, userId, workspaceId } = await app.register()
		const late = await store()
			.db.transaction()
			.execute(async (tx) => {
				await lockNumbering(tx)
				await deleteMember(tx, workspaceId, userId)
				const answer = app.request('POST', '/auth/login', { body: { email, password } })
				if (isPostgres(tx)) await expect.poll(() => waitingToNumber(tx), { interval: 5 }).toBe(1)
				return { answer }
			})
		expect((await late.answer).status).toBe(403)
	})

	it('aborts the streams of a member whose role changes or who is removed', async () => {
		for (const role of ['viewer', null]) {
			const person = await app.memberOf('member')
			const { ended } = await streamOf(person.token)
			const path = `/v1/workspaces/${app.owner.workspaceId}/members/${person.userId}`
			const startedAt = performance.now()
			if (role === null) await call(app.owner, 'DELETE', path)
			else await call(app.owner, 'PATCH', path, { role })
			expect((await ended) - startedAt).toBeLessThan(5000)
		}
	})

	it('leaves its members signed in if they have another one', async () => {
		const doomed = await newWorkspace(mine, 'Left')
		await call(doomed, 'DELETE', `/v1/workspaces/${doomed.workspaceId}?confirm=Left`)
		const renewed = await app.request('POST', '/auth/refresh', { body: { refresh_token: mine.refreshToken } })
		expect(renewed.status).toBe(200)
		mine = { ...mine, token: renewed.body.token, refreshToken: renewed.body.refresh_token }
		expect((await call(mine, 'GET', '/auth/me')).body.workspace.id).toBe(mine.workspaceId)
		const trail = store()
			.db.selectFrom('audit_log')
			.selectAll()
			.where('workspace_id', '=', doomed.workspaceId)
		const last = await trail.orderBy('seq', 'desc').executeTakeFirst()
		expect([last?.action, last?.actor_name]).toEqual(['workspaces.delete', mine.email])
	})
})

describeOnBothDatabases('the last workspace', (store) => {
	let app: TestApp
	beforeAll(async () => {
		app = await startTestApp(store())
	})
	afterAll(() => app.close())

	it('cannot be deleted, also when the last two are deleted concurrently', async () => {
		const { token, workspaceId } = app.owner
		const remove = (id: string, name: string, as: string) =>
			app.request('DELETE', `/v1/workspaces/${id}?confirm=${encodeURIComponent(name)}`, { token: as })
		const alone = await remove(workspaceId, 'default', token)
		expect([alone.status, alone.body.code]).toEqual([409, 'last_workspace'])
		const second = await app.register()
		const { name } = (await app.request('GET', '/auth/me', { token: second.token })).body.workspace
		const both = await Promise.all([
			remove(workspaceId, 'default', token),
			remove(second.workspaceId, name, second.token),
		])
		expect(both.map(({ status }) => status).sort()).toEqual([204, 409])
	})
})
