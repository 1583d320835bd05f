import { expect, it } from 'vitest'
import { appendChange, ChangeFeed, type View } from './changes.ts'
import { manualClock, systemClock } from './clock.ts'
import { describeOnBothDatabases } from './database/testing.ts'
import { silentLog } from './log.ts'

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
})
