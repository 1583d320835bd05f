import { expect, it } from 'vitest'
import { GroupFlush } from './writer.ts'

/** A disk whose flushes end when the test decides. */
function slowDisk() {
	const under: PromiseWithResolvers<void>[] = []
	const flushes = new GroupFlush(() => {
		under.push(Promise.withResolvers<void>())
		return (under.at(-1) as PromiseWithResolvers<void>).promise
	})
	return { flushes, under }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

it('all requests during a flush share the next one', async () => {
	const { flushes, under } = slowDisk()
	const ended: string[] = []
	const note = (name: string) => flushes.flush().then(() => ended.push(name))
	const all = [note('first'), note('second'), note('third')]
	expect(under).toHaveLength(1)
	under[0]?.resolve()
	await turn()
	expect([ended, under.length]).toEqual([['first'], 2])
	all.push(note('fourth'))
	under[1]?.resolve()
	await turn()
	expect([ended, under.length]).toEqual([['first', 'second', 'third'], 3])
	under[2]?.resolve()
	await Promise.all(all)
})

it('after a failed flush, waiting and later requests get the error', async () => {
	const { flushes, under } = slowDisk()
	const asked = [flushes.flush(), flushes.flush()]
	under[0]?.reject(new Error('EIO'))
	for (const outcome of [...asked, flushes.flush()])
		await expect(outcome).rejects.toThrow('could not be flushed')
	expect(flushes.failure).toContain('could not be flushed')
	expect(() => flushes.requireWorking()).toThrow('until the program is started again')
	expect(under).toHaveLength(1)
})
