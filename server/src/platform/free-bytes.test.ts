import { expect, it } from 'vitest'
import { freeBytes } from './free-bytes.ts'

it('frees bytes with memory of their own, and leaves what shares its memory', () => {
	const own = Buffer.allocUnsafeSlow(1000)
	freeBytes(own)
	expect(own).toHaveLength(0)
	const shared = Buffer.from('one of many in a block')
	freeBytes(shared)
	expect(shared.toString()).toBe('one of many in a block')
})
