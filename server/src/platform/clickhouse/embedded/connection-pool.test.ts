import { expect, it } from 'vitest'
import { createPool } from './engine.ts'

function countingPool(size: number) {
	const closed: number[] = []
	let opened = 0
	const pool = createPool({ size, open: async () => ++opened, close: (one) => void closed.push(one) })
	return { pool, closed, opened: () => opened }
}

it('a connection on which a call failed is closed and never used again', async () => {
	const { pool, closed } = countingPool(1)
	await expect(pool.use(async () => Promise.reject(new Error('no')))).rejects.toThrow('no')
	expect(closed).toEqual([1])
	expect(await pool.use(async (one) => one)).toBe(2)
	expect(await pool.use(async (one) => one)).toBe(2)
})

it('no more calls run at once than there are connections, and all complete', async () => {
	const { pool, opened } = countingPool(2)
	let running = 0
	let most = 0
	const calls = Array.from({ length: 20 }, (_, index) =>
		pool.use(async () => {
			most = Math.max(most, ++running)
			await new Promise((resolve) => setTimeout(resolve, 1))
			running--
			return index
		}),
	)
	expect(await Promise.all(calls)).toEqual(Array.from({ length: 20 }, (_, index) => index))
	expect(most).toBe(2)
	expect(opened()).toBe(2)
})

it('a failed open frees its slot', async () => {
	let fail = true
	const open = async () => (fail ? Promise.reject(new Error('shut')) : 'open')
	const pool = createPool({ size: 1, open, close: () => undefined })
	await expect(pool.use(async () => 1)).rejects.toThrow('shut')
	fail = false
	expect(await pool.use(async (one) => one)).toBe('open')
})
