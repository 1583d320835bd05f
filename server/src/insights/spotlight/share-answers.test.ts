import { expect, test } from 'vitest'
import { shareAnswers } from './share-answers.ts'

const asked = { workspaceId: 'w1', read: 'overview', query: { start: '-1h' } }

test('the same question is answered once while its answer is worked out, and anew after that; no other question has part in it', async () => {
	const share = shareAnswers()
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

test('a failure is told to all who waited for it, and is not kept', async () => {
	const share = shareAnswers()
	const failing = () => Promise.reject(new Error('down'))
	const both = await Promise.allSettled([share(asked, failing), share(asked, failing)])
	expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
	expect(await share(asked, async () => 'up')).toBe('up')
})
