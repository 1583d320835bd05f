import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createClientAddressOf, networkOf } from './client-address.ts'

function requestFrom(remoteAddress: string | undefined, forwardedFor?: string): IncomingMessage {
	const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
	return { socket: { remoteAddress }, headers } as unknown as IncomingMessage
}

describe('the address of a client', () => {
	it('is the peer of the connection, whatever its headers say, while no proxy is trusted', () => {
		const of = createClientAddressOf(null)
		expect(of(requestFrom('203.0.113.9', '198.51.100.1'))).toBe('203.0.113.9')
		expect(of(requestFrom('::ffff:203.0.113.9'))).toBe('203.0.113.9')
		expect(of(requestFrom('FE80::1%eth0'))).toBe('fe80::1')
		expect(of(requestFrom(undefined))).toBe('')
	})

	it.each([
		['an untrusted peer that sends the header', '203.0.113.9', '198.51.100.1', '203.0.113.9'],
		['a trusted proxy', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
		['a chain of trusted proxies', '127.0.0.1', '198.51.100.1, 10.0.0.7', '198.51.100.1'],
		['an entry forged by the client', '10.0.0.1', '127.0.0.1, 198.51.100.1', '198.51.100.1'],
		[
			'trusted addresses behind an untrusted one',
			'10.0.0.1',
			'10.0.0.3, 198.51.100.1, 10.0.0.2',
			'198.51.100.1',
		],
		['an entry that is not an address', '10.0.0.1', '198.51.100.1, unknown', '10.0.0.1'],
		['an empty header', '10.0.0.1', '', '10.0.0.1'],
		['no header', '10.0.0.1', undefined, '10.0.0.1'],
		['only trusted hops', '10.0.0.1', '10.0.0.2', '10.0.0.2'],
		['an address with a port', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
		['an IPv6 address with a port', '10.0.0.1', '[2001:DB8::1]:4711', '2001:db8::1'],
		['an IPv6 proxy', 'fd00::5', '2001:db8::1', '2001:db8::1'],
		['an IPv4 proxy on an IPv6 socket', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
	])('is read through trusted proxies only: %s', (_name, peer, header, expected) => {
		const of = createClientAddressOf(['10.0.0.0/8', '127.0.0.0/8', 'fd00::/8'])
		expect(of(requestFrom(peer, header))).toBe(expected)
	})
})

it('treats a whole IPv6 network as one client, however its addresses are written', () => {
	const networks = ['2001:db8::1', '2001:db8:0:0:1::2', '2001:db8:0:0:ffff:1:2:3'].map(networkOf)
	expect(new Set(networks)).toEqual(new Set(['2001:db8:0:0']))
	expect(networkOf('192.0.2.7')).toBe('192.0.2.7')
})
