import { describe, expect, it } from 'vitest'
import { addressCheckOf, plainNetworks } from './credential-rules.ts'

const allows = (list: string[], address: string) =>
	addressCheckOf(JSON.stringify(plainNetworks(list)))?.(address)

describe('allowed addresses', () => {
	it.each([
		['192.0.2.7', '192.0.2.7', true],
		['192.0.2.7', '192.0.2.8', false],
		['192.0.2.7', '::ffff:192.0.2.7', true],
		['::ffff:192.0.2.7', '192.0.2.7', true],
		['::ffff:c000:207', '192.0.2.7', true],
		['::ffff:192.0.2.0/120', '192.0.2.200', true],
		['::ffff:192.0.2.0/120', '192.0.3.1', false],
		['10.0.0.0/8', '10.255.0.1', true],
		['10.0.0.0/8', '11.0.0.1', false],
		['0.0.0.0/0', '203.0.113.9', true],
		['0.0.0.0/0', '2001:db8::1', false],
		['2001:db8::/32', '2001:db8:ffff::1', true],
		['2001:db8::/32', '2001:db9::1', false],
		['2001:DB8:0:0::1', '2001:db8::1', true],
		['::1', '::1', true],
		['::1', '127.0.0.1', false],
		['10.0.0.0/8', '', false],
		['10.0.0.0/8', 'nonsense', false],
	])('%s and a call from %j: %s', (network, address, expected) => {
		expect(allows([network], address)).toBe(expected)
	})

	it('a match with one entry is enough', () => {
		expect(allows(['192.0.2.1', '2001:db8::/64'], '2001:db8::5')).toBe(true)
	})

	it('without a list every address is allowed', () => {
		expect(addressCheckOf(null)).toBeNull()
	})

	it.each([
		'',
		'localhost',
		'10.0.0',
		'10.0.0.0/33',
		'::/129',
		'10.0.0.0/-1',
		'010.0.0.1',
		'::ffff:1.2.3.4/8',
		'1.2.3.4/8/9',
		'10.0.0.0/8 ',
		'fe80::1%eth0',
	])('%j is refused, naming the entry', (text) => {
		const fault = { errors: [expect.objectContaining({ pointer: '/allowed_addresses/1' })] }
		expect(() => plainNetworks(['10.0.0.0/8', text])).toThrow(expect.objectContaining(fault))
	})
})
