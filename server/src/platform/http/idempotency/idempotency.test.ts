import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ControlPlane, startControlPlane } from '../../../access/grants/testing.ts'
import { type Clock, manualClock } from '../../clock.ts'
import { createSealer } from '../../crypto/seal.ts'
import { describeOnBothDatabases } from '../../database/testing.ts'
import { newId } from '../../ids.ts'
import { silentLog } from '../../log.ts'
import { createIdempotency } from '../idempotency.ts'
import type { UserPrincipal } from '../principal.ts'

describeOnBothDatabases('Idempotency-Key', (store) => {
	let app: ControlPlane
	beforeAll(async () => {
		app = await startControlPlane(store())
	})
	afterAll(() => app.close())

	let keys = 0
	const newKey = () => `key-${keys++}`
	const create = (key: string, body: object, path = '/v1/agents', token = app.owner.token) =>
		app.request('POST', path, { token, headers: { 'idempotency-key': key }, body })
	const named = async (name: string) =>
		(await app.request('GET', `/v1/agents?q=${name}`, { token: app.owner.token })).body.agents

	it('performs a repeated request once, with the same response', async () => {
		const key = newKey()
		const first = await create(key, { name: 'Once' })
		const again = await create(key, { name: 'Once' })
		expect([first.status, again.status]).toEqual([201, 201])
		expect(again.body).toEqual(first.body)
		expect(first.headers.get('idempotency-replayed')).toBeNull()
		expect(again.headers.get('idempotency-replayed')).toBe('true')
		expect(await named('Once')).toHaveLength(1)
	})

	it('shows a secret once and does not store it', async () => {
		const key = newKey()
		const body = { name: 'secret', scopes: ['agents:read'] }
		const first = await create(key, body, '/v1/keys')
		const again = await create(key, body, '/v1/keys')
		expect(again.body).toEqual({ ...first.body, key: '(shown in the first answer only)' })
		expect((await create(key, { ...body, name: 'other' }, '/v1/keys')).status).toBe(422)
		const made = await app.create('/v1/agents', { name: 'Keyed' })
		const paths = {
			'/v1/ingest-tokens': { name: 't' },
			[`/v1/agents/${made.id}/keys`]: { name: 'k' },
			[`/v1/keys/${first.body.id}/rotate`]: {},
		}
		for (const [path, given] of Object.entries(paths)) {
			const of = newKey()
			const secret = /[si][kt]_service_\w{20,}/
			expect((await create(of, given, path)).text).toMatch(secret)
			expect((await create(of, given, path)).text).not.toMatch(secret)
		}
		const rows = await store().db.selectFrom('idempotency_keys').selectAll().execute()
		expect(JSON.stringify(rows)).not.toContain(first.body.key)
		expect(JSON.stringify(rows)).not.toContain(key)
	})

	it('refuses another body with the same key', async () => {
		const key = newKey()
		await create(key, { name: 'Body one' })
		const other = await create(key, { name: 'Body two' })
		expect([other.status, other.body.code]).toEqual([422, 'idempotency_mismatch'])
		expect(await named('Body two')).toHaveLength(0)
	})

	it('keeps callers and operations apart', async () => {
		const key = newKey()
		const admin = await app.memberOf('admin')
		expect((await create(key, { name: 'Apart' })).status).toBe(201)
		const other = await create(key, { name: 'Apart' }, '/v1/agents', admin.token)
		expect([other.status, other.body.code]).toEqual([409, 'name_taken'])
		expect((await create(key, { name: 'Apart' }, '/v1/keys')).status).toBe(201)
	})

	it('frees the key of a request that failed', async () => {
		const key = newKey()
		await create(newKey(), { name: 'Taken' })
		expect((await create(key, { name: 'Taken' })).status).toBe(409)
		expect((await create(key, { name: 'Free' })).status).toBe(201)
	})

	it('creates one object from twenty simultaneous requests', async () => {
		const key = newKey()
		const answers = await Promise.all(Array.from({ length: 20 }, () => create(key, { name: 'Race' })))
		const created = answers.filter(({ status }) => status === 201)
		const waiting = answers.filter(({ status }) => status === 409)
		expect(created.length + waiting.length).toBe(20)
		expect(new Set(created.map(({ body }) => body.id)).size).toBe(1)
		for (const { body, headers } of waiting) {
			expect(body.code).toBe('idempotency_in_progress')
			expect(headers.get('retry-after')).toBe('1')
		}
		expect(await named('Race')).toHaveLength(1)
	})

	it.each(['', 'a b', 'x'.repeat(256), 'ä'])('refuses the key "%s"', async (key) => {
		const answer = await create(Buffer.from(key).toString('latin1'), { name: 'Bad key' })
		expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
		expect(await named('Bad key')).toHaveLength(0)
	})

	describe('when a request dies', () => {
		const clock = manualClock()
		const sealer = createSealer(Buffer.alloc(32, 7))
		const once = (key: string, create: Parameters<ReturnType<typeof open>['once']>[1]) =>
			open().once({ principal: principal(), operationId: 'test', key, content: 'body' }, create)
		const open = () => createIdempotency({ store: store(), sealer, clock, log: silentLog })
		const principal = () =>
			({ kind: 'user', userId: 'u', workspaceId: app.owner.workspaceId }) as UserPrincipal
		/** A process that is killed inside the handler never releases its key. */
		const die = (beforeDeath: (mark: () => Promise<void>) => Promise<void>) => {
			const dying = newId()
			const died = Promise.withResolvers<string>()
			void once(dying, async (onTransaction) => {
				await beforeDeath(() => store().db.transaction().execute(onTransaction))
				died.resolve(dying)
				return new Promise(() => {})
			})
			return died.promise
		}

		it('before it changed anything, its key is free after a minute', async () => {
			const key = await die(async () => {})
			await expect(once(key, async () => 'again')).rejects.toMatchObject({ code: 'idempotency_in_progress' })
			clock.advance(60_000)
			expect(await once(key, async () => 'again')).toEqual({ answer: 'again', replayed: false })
			expect(await once(key, async () => 'never')).toEqual({ answer: 'again', replayed: true })
		})

		it('after its commit, it is never repeated', async () => {
			const key = await die((mark) => mark())
			clock.advance(60_000)
			await expect(once(key, async () => 'again')).rejects.toMatchObject({ code: 'idempotency_answer_lost' })
			clock.advance(24 * 3_600_000)
			expect((await once(key, async () => 'next day')).answer).toBe('next day')
		})

		it('the clock is set back meanwhile, and its key is free or never repeated as if it had not been', async () => {
			clock.advance(30 * 24 * 3_600_000)
			const unchanged = await die(async () => {})
			const changed = await die((mark) => mark())
			clock.advance(-24 * 3_600_000)
			expect((await once(unchanged, async () => 'again')).answer).toBe('again')
			await expect(once(changed, async () => 'again')).rejects.toMatchObject({
				code: 'idempotency_answer_lost',
			})
		})

		it('the clock jumps ahead, and a key of before is still known while the new time is doubted', async () => {
			const key = newId()
			expect((await once(key, async () => 'first')).answer).toBe('first')
			const ahead: Clock = { nowMs: () => clock.nowMs() + 48 * 3_600_000, deletionMs: clock.deletionMs }
			const jumped = createIdempotency({ store: store(), sealer, clock: ahead, log: silentLog })
			const request = { principal: principal(), operationId: 'test', key, content: 'body' }
			expect(await jumped.once(request, async () => 'twice')).toEqual({ answer: 'first', replayed: true })
		})

		it('together with its store, its key is free once the store is back', async () => {
			const key = newId()
			let isDown = false
			const failing = Object.create(store(), {
				db: {
					get: () => (isDown ? { deleteFrom: () => store().db.selectFrom('none' as never) } : store().db),
				},
			})
			const idempotency = createIdempotency({ store: failing, sealer, clock, log: silentLog })
			const request = { principal: principal(), operationId: 'test', key, content: 'body' }
			const failed = idempotency.once(request, async () => {
				isDown = true
				throw new Error('The store is down.')
			})
			await expect(failed).rejects.toThrow('down')
			await expect(once(key, async () => 'again')).rejects.toMatchObject({ code: 'idempotency_in_progress' })
			isDown = false
			await expect
				.poll(() => once(key, async () => 'again').catch(() => null), { timeout: 10_000 })
				.not.toBeNull()
		})

		it('a slow one that still runs keeps its key, whether it has changed something or not', async () => {
			const slowed = Promise.withResolvers<void>()
			const renewing = createIdempotency({ store: store(), sealer, clock, log: silentLog, renewMs: 10 })
			const begin = async (key: string, changes: boolean) => {
				const started = Promise.withResolvers<void>()
				const request = { principal: principal(), operationId: 'test', key, content: 'body' }
				const running = renewing.once(request, async (onTransaction) => {
					if (changes) await store().db.transaction().execute(onTransaction)
					started.resolve()
					await slowed.promise
					if (!changes) await store().db.transaction().execute(onTransaction)
					return 'slow'
				})
				await started.promise
				return running
			}
			const keys = [newId(), newId()] as const
			const running = [begin(keys[0], true), begin(keys[1], false)]
			await sleep(100)
			clock.advance(600_000)
			await sleep(300)
			for (const key of keys)
				await expect(once(key, async () => 'twice')).rejects.toMatchObject({
					code: 'idempotency_in_progress',
				})
			slowed.resolve()
			await Promise.all(running)
			for (const key of keys)
				expect(await once(key, async () => 'never')).toEqual({ answer: 'slow', replayed: true })
		})

		it('a slow one whose key was taken over changes nothing', async () => {
			const started = Promise.withResolvers<void>()
			const slowed = Promise.withResolvers<void>()
			const key = newId()
			const slow = once(key, async (onTransaction) => {
				started.resolve()
				await slowed.promise
				await store().db.transaction().execute(onTransaction)
				return 'slow'
			})
			await started.promise
			clock.advance(60_000)
			const fast = await once(key, async (onTransaction) => {
				await store().db.transaction().execute(onTransaction)
				return 'fast'
			})
			slowed.resolve()
			await expect(slow).rejects.toMatchObject({ code: 'idempotency_in_progress' })
			expect(fast.answer).toBe('fast')
			expect(await once(key, async () => 'never')).toEqual({ answer: 'fast', replayed: true })
		})
	})
})
