import { expect, it } from 'vitest'
import { Problem } from '../errors.ts'
import { openPrimaryProcesses } from './processes.ts'
import { newTestWorker } from './testing.ts'

it('each side can ask the other, and a refusal arrives as the same problem', async () => {
	const primary = openPrimaryProcesses()
	const worker = newTestWorker(primary, 1)
	primary.answer('double', (input: number, from) => [input * 2, from])
	worker.answer('refuse', () => {
		throw new Problem('recorder_full', 'No room.', { retryAfterS: 7 })
	})
	expect(await worker.ask(0, 'double', 21)).toEqual([42, 1])
	await expect(primary.ask(1, 'refuse')).rejects.toMatchObject({
		code: 'recorder_full',
		message: 'No room.',
		headers: { 'retry-after': '7' },
	})
})

it('a broadcast of a worker reaches the primary and the other workers; a message to the primary reaches nobody else', async () => {
	const primary = openPrimaryProcesses()
	const workers = [1, 2, 3].map((number) => newTestWorker(primary, number))
	const received: string[] = []
	for (const each of [primary, ...workers])
		each.answer('news', (input: string) => received.push(`${each.number} ${input}`))
	workers[0]?.tell('all', 'news', 'a')
	workers[0]?.tell(0, 'news', 'b')
	primary.tell('all', 'news', 'c')
	await expect.poll(() => received.toSorted()).toEqual(['0 a', '0 b', '1 c', '2 a', '2 c', '3 a', '3 c'])
})

it('asking a process that has ended is a problem, both for pending and for later requests', async () => {
	const primary = openPrimaryProcesses()
	const worker = newTestWorker(primary, 1)
	const ended: number[] = []
	primary.onEnded((number) => ended.push(number))
	worker.answer('wait', () => new Promise(() => {}))
	const asked = primary.ask(1, 'wait')
	setImmediate(() => worker.end())
	await expect(asked).rejects.toMatchObject({ code: 'store_unavailable' })
	await expect(primary.ask(1, 'wait')).rejects.toMatchObject({ code: 'store_unavailable' })
	expect([ended, primary.others()]).toEqual([[1], []])
})

it('a process that is still starting does not answer', async () => {
	const primary = openPrimaryProcesses()
	const worker = newTestWorker(primary, 1)
	await expect(primary.ask(1, 'later')).rejects.toMatchObject({ code: 'store_unavailable' })
	await expect(worker.ask(0, 'later')).rejects.toMatchObject({ code: 'store_unavailable' })
	worker.answer('later', () => 'now')
	expect(await primary.ask(1, 'later')).toBe('now')
})
