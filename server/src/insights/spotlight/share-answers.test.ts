import { expect, test } from 'vitest'
import { shareAnswers } from './spotlight.ts'

const asked = { workspaceId: 'w1', read: 'overview', query: { start: '-1h' } }
const unknown = () => shareAnswers(() => null, { nowMs: () => 0 })

test('the same question is answered once while its answer is worked out, and again after that; no other question has part in it', async () => {
	const share = unknown()
	let times = 0
	const answer = () => Promise.resolve(++times)
	const others = [
		{ ...asked, workspaceId: 'w2' },
		{ ...asked, read: 'tools' },
		{ ...asked, query: {} },
	]
	expect(await Promise.all([asked, asked, ...others].map((one) => share(one, answer)))).toEqual([
		1, 1, 2, 3, 4,
	])
	expect(await share(asked, answer)).toBe(5)
})

test('a failure is reported to all who waited for it, and is not kept', async () => {
	const share = unknown()
	const failing = () => Promise.reject(new Error('down'))
	const both = await Promise.allSettled([share(asked, failing), share(asked, failing)])
	expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
	expect(await share(asked, async () => 'up')).toBe('up')
})

test('an answer is kept while nothing comes, and for a moment in proportion to its cost while spans arrive', async () => {
	const now = { ms: 0, version: 1, others: 1 }
	const versionOf = (workspaceId: string) => (workspaceId === 'w1' ? now.version : now.others)
	const share = shareAnswers(versionOf, { nowMs: () => now.ms })
	let times = 0
	const ask = () =>
		share(asked, async () => {
			now.ms += 100
			return ++times
		})
	expect([await ask(), await ask()]).toEqual([1, 1])
	now.ms += 4000
	// What comes for others changes nothing.
	now.others = 2
	expect(await ask()).toBe(1)
	now.ms += 1000
	expect(await ask()).toBe(2)
	now.version = 2
	expect(await ask()).toBe(2)
	now.ms += 300
	expect(await ask()).toBe(3)
})

test('while spans arrive an answer that takes long is kept for as long again', async () => {
	const now = { ms: 0, version: 1 }
	const share = shareAnswers(() => now.version, { nowMs: () => now.ms })
	let times = 0
	const ask = () =>
		share(asked, async () => {
			now.ms += 2000
			// Spans have come meanwhile.
			now.version += 1
			return ++times
		})
	expect(await ask()).toBe(1)
	now.ms += 1900
	expect(await ask()).toBe(1)
	now.ms += 200
	expect(await ask()).toBe(2)
})
