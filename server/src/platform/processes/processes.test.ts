import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { Problem } from '../errors.ts'
import { openPrimaryProcesses, openWorkerProcesses, type Pipe } from './index.ts'

/** A pipe between two ends of this process, in the order and with the copies of a real one. */
class End extends EventEmitter implements Pipe {
	other: End | null = null
	connected = true

	send(message: unknown): boolean {
		const copy = structuredClone(message)
		setImmediate(() => this.other?.connected && this.other.emit('message', copy))
		return true
	}

	close(): void {
		for (const end of [this, this.other as End]) {
			end.connected = false
			end.emit('disconnect')
		}
	}
}

function newWorker(primary: ReturnType<typeof openPrimaryProcesses>, number: number) {
	const [near, far] = [new End(), new End()]
	Object.assign(near, { other: far })
	Object.assign(far, { other: near })
	primary.attach(number, near)
	return { ...openWorkerProcesses(number, far), end: () => near.close() }
}

it('each side asks the other, and a refusal comes as the problem that it is', async () => {
	const primary = openPrimaryProcesses()
	const worker = newWorker(primary, 1)
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

it('what a worker tells all reaches the primary and the other workers, and what it tells the primary nobody else', async () => {
	const primary = openPrimaryProcesses()
	const workers = [1, 2, 3].map((number) => newWorker(primary, number))
	const heard: string[] = []
	for (const each of [primary, ...workers])
		each.answer('news', (input: string) => heard.push(`${each.number} ${input}`))
	workers[0]?.tell('all', 'news', 'a')
	workers[0]?.tell(0, 'news', 'b')
	primary.tell('all', 'news', 'c')
	await expect.poll(() => heard.toSorted()).toEqual(['0 a', '0 b', '1 c', '2 a', '2 c', '3 a', '3 c'])
})

it('who asks a process that ends gets a problem, at once and afterwards', async () => {
	const primary = openPrimaryProcesses()
	const worker = newWorker(primary, 1)
	const ended: number[] = []
	primary.onEnded((number) => ended.push(number))
	worker.answer('wait', () => new Promise(() => {}))
	const asked = primary.ask(1, 'wait')
	setImmediate(() => worker.end())
	await expect(asked).rejects.toMatchObject({ code: 'store_unavailable' })
	await expect(primary.ask(1, 'wait')).rejects.toMatchObject({ code: 'store_unavailable' })
	expect([ended, primary.others()]).toEqual([[1], []])
})
