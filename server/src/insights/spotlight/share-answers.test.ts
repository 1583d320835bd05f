import { expect, test } from 'vitest'
import { completeChange } from '../../telemetry/index.ts'
import { shareAnswers } from './spotlight.ts'

const asked = { workspaceId: 'w1', read: 'overview', query: { start: '-1h' } }
const unknown = () => shareAnswers(() => null, { nowMs: () => 0 })

test('concurrent equal queries are answered once, and again after that; other queries are independent', async () => {
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

test('a failure is reported to all who waited for it, and is not cached', async () => {
	const share = unknown()
	const failing = () => Promise.reject(new Error('down'))
	const both = await Promise.allSettled([share(asked, failing), share(asked, failing)])
	expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
	expect(await share(asked, async () => 'up')).toBe('up')
})

test('an answer is cached while nothing arrives, and while spans arrive for a short time in proportion to its cost', async () => {
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
	// Arrivals in other workspaces change nothing.
	now.others = 2
	expect(await ask()).toBe(1)
	now.ms += 1000
	expect(await ask()).toBe(2)
	now.version = 2
	expect(await ask()).toBe(2)
	now.ms += 300
	expect(await ask()).toBe(3)
	// The clock is set back.
	now.version = 3
	now.ms -= 86_400_000
	expect(await ask()).toBe(4)
})

test('when calls were priced again or spans deleted, no answer from before is shown, nor one computed meanwhile', async () => {
	const share = shareAnswers(() => 1, { nowMs: () => 0 })
	let times = 0
	const ask = () => share(asked, async () => ++times)
	expect([await ask(), await ask()]).toEqual([1, 1])
	completeChange()
	const meanwhile = ask()
	completeChange()
	expect(await Promise.all([meanwhile, ask(), ask()])).toEqual([2, 3, 3])
})

test('while spans arrive, an answer that takes long is cached for as long again', async () => {
	const now = { ms: 0, version: 1 }
	const share = shareAnswers(() => now.version, { nowMs: () => now.ms })
	let times = 0
	const ask = () =>
		share(asked, async () => {
			now.ms += 2000
			// Spans have arrived meanwhile.
			now.version += 1
			return ++times
		})
	expect(await ask()).toBe(1)
	now.ms += 1900
	expect(await ask()).toBe(1)
	now.ms += 200
	expect(await ask()).toBe(2)
})
