import { hash } from 'node:crypto'
import { expect, it } from 'vitest'
import { KeptAnswer } from './kept-answer.ts'

it('keeps the answer, and no other bytes that the socket read', () => {
	const read = Buffer.alloc(1024 * 1024, 'x')
	const kept = new KeptAnswer()
	kept.push(read.subarray(10, 30))
	const taken = kept.bytes
	expect(taken.toString()).toBe('x'.repeat(20))
	expect(taken.buffer.byteLength).toBeLessThan(read.length / 8)
})

it('keeps four megabytes at most', () => {
	const kept = new KeptAnswer()
	for (let pieces = 0; pieces < 5; pieces += 1) kept.push(Buffer.alloc(1024 * 1024))
	expect(kept.bytes).toHaveLength(4 * 1024 * 1024)
	expect(kept.overflows).toBe(true)
	expect(kept.digest()).toBe(hash('sha256', Buffer.alloc(5 * 1024 * 1024), 'hex'))
})
