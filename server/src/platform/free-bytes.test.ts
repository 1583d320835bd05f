import { expect, it } from 'vitest'
import { freeBytes, ReusableMemory } from './free-bytes.ts'

it('frees bytes that own their memory, and leaves those that share it', () => {
	const own = Buffer.allocUnsafeSlow(1000)
	freeBytes(own)
	expect(own).toHaveLength(0)
	const shared = Buffer.from('one of many in a block')
	freeBytes(shared)
	expect(shared.toString()).toBe('one of many in a block')
})

const MiB = 1024 * 1024

it('memory that was given back is reused', () => {
	const memory = new ReusableMemory()
	const first = memory.acquire(1000)
	memory.release(first)
	const second = memory.acquire(900)
	expect(second.buffer).toBe(first.buffer)
	expect(second.length).toBe(900)
})

it('while the memory is lent, other memory is allocated and later freed', () => {
	const memory = new ReusableMemory()
	const first = memory.acquire(1000)
	const other = memory.acquire(1000)
	expect(other.buffer).not.toBe(first.buffer)
	memory.release(other)
	expect(other.length).toBe(0)
	expect(first.length).toBe(1000)
	memory.release(first)
	expect(memory.acquire(1000).buffer).toBe(first.buffer)
})

it('large memory is kept for a few smaller requests, but not for many', () => {
	const memory = new ReusableMemory()
	const large = memory.acquire(40 * MiB)
	memory.release(large)
	const sizes = Array.from({ length: 20 }, () => {
		const small = memory.acquire(MiB)
		const { byteLength } = small.buffer
		memory.release(small)
		return byteLength
	})
	expect(sizes[0]).toBeGreaterThanOrEqual(40 * MiB)
	expect(sizes.at(-1)).toBeLessThan(2 * MiB)
})
