import { expect, it } from 'vitest'
import { inChangeScope } from './change-scope.ts'
import { appendChange, ChangeFeed, lockNumbering, type View } from './changes.ts'
import { manualClock, systemClock } from './clock.ts'
import { type DatabaseTransaction, lockCount } from './database/database.ts'
import { describeOnBothDatabases } from './database/testing.ts'
import { Problem } from './errors.ts'
import { silentLog } from './log.ts'
import { afterCommit, createMutate } from './mutation.ts'

describeOnBothDatabases('the change feed', (store) => {
	const seen: string[] = []
	const view: View = {
		kinds: ['agent'],
		load: async () => void seen.push('load'),
		apply: async (_kind, id) => void seen.push(id),
	}

	it('a writer sees its own change before it answers, and views skip kinds that they do not hold', async () => {
		const feed = new ChangeFeed(store(), silentLog, systemClock)
		feed.add(view)
		await feed.start()
		await store()
			.db.transaction()
			.execute(async (tx) => {
				await appendChange(tx, 'agent', 'a1', systemClock)
				await appendChange(tx, 'server', 's1', systemClock)
				await appendChange(tx, 'agent', 'a2', systemClock)
			})
		await feed.catchUp()
		expect(seen).toEqual(['load', 'a1', 'a2'])
		expect(feed.isStale()).toBe(false)
		await feed.stop()
	})

	it('the view gets every one of many concurrent changes', async () => {
		seen.length = 0
		const feed = new ChangeFeed(store(), silentLog, systemClock)
		feed.add(view)
		await feed.start()
		const ids = Array.from({ length: 40 }, (_, index) => `c${index}`)
		await Promise.all(
			ids.map(async (id) => {
				await store()
					.db.transaction()
					.execute((tx) => appendChange(tx, 'agent', id, systemClock))
				await feed.catchUp()
				expect(seen).toContain(id)
			}),
		)
		expect(seen.slice(1).sort()).toEqual([...ids].sort())
		await feed.stop()
	})

	it('is stale 5 s after its last check of the store, and fresh again after the next', async () => {
		const clock = manualClock()
		const feed = new ChangeFeed(store(), silentLog, clock)
		await feed.start()
		await feed.stop()
		clock.advance(5000)
		expect(feed.isStale()).toBe(false)
		clock.advance(1)
		expect(feed.isStale()).toBe(true)
		await feed.catchUp()
		expect(feed.isStale()).toBe(false)
	})

	/** Some changes number first, and some lock rows first: together these two are a deadlock. */
	const meet = async (ids: [string, string], refusal: (runs: number) => Problem | null = () => null) => {
		const mutate = createMutate(store(), new ChangeFeed(store(), silentLog, systemClock))
		const bothHold = Promise.withResolvers<void>()
		const committed: string[] = []
		let runs = 0
		const change = (id: string, lock: (tx: DatabaseTransaction) => Promise<void>) => {
			const scope = {
				...{ workspaceId: 'w1', lock: null, requireUnchanged: () => {} },
				refusal: () => refusal(runs),
			}
			return inChangeScope(scope, () =>
				mutate(async (tx) => {
					await lock(tx)
					runs += 1
					if (runs === 2) bothHold.resolve()
					await bothHold.promise
					await lockCount(tx, 'rows')
					await appendChange(tx, 'agent', id, systemClock)
					afterCommit(tx, () => void committed.push(id))
				}),
			)
		}
		const ended = await Promise.allSettled([
			change(ids[0], lockNumbering),
			change(ids[1], (tx) => lockCount(tx, 'rows')),
		])
		const stored = await store()
			.db.selectFrom('changes')
			.select('entity_id')
			.where('entity_id', 'in', ids)
			.execute()
		return {
			...{ runs, committed: committed.sort(), stored: stored.map(({ entity_id }) => entity_id).sort() },
			failures: ended.flatMap((one) => (one.status === 'rejected' ? [one.reason] : [])),
		}
	}

	it('of two changes that wait for each other, the one that PostgreSQL ends is made again, and both are made once', async () => {
		if (store().kind !== 'postgres') return
		const ids: [string, string] = ['meeting-1', 'meeting-2']
		expect(await meet(ids)).toEqual({ runs: 3, committed: ids, stored: ids, failures: [] })
	})

	it('a change that is made again is refused if its caller has lost the right meanwhile', async () => {
		if (store().kind !== 'postgres') return
		const lost = new Problem('forbidden')
		const met = await meet(['meeting-3', 'meeting-4'], (runs) => (runs === 2 ? lost : null))
		expect(met).toMatchObject({ runs: 2, failures: [lost] })
		expect(met.stored).toHaveLength(1)
		expect(met.committed).toEqual(met.stored)
	})
})
