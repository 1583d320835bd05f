import { expect, it } from 'vitest'
import { localAddress, publicAddress } from './public-address.ts'

const loopback = { PUBLIC_URL: null, HOST: '127.0.0.1', PORT: 0 }

it('is the public URL if there is one, without a trailing slash', () => {
	const config = { ...loopback, PUBLIC_URL: 'https://signalbox.example/base/' }
	expect(publicAddress(config, 4711)).toBe('https://signalbox.example/base')
})

it('has the port that the listener was given', () => {
	expect(publicAddress(loopback, 4711)).toBe('http://127.0.0.1:4711')
	expect(publicAddress({ ...loopback, PORT: 7777 })).toBe('http://127.0.0.1:7777')
})

it('can be opened by a browser', () => {
	expect(publicAddress({ ...loopback, HOST: '::1', PORT: 7777 })).toBe('http://[::1]:7777')
	expect(publicAddress({ ...loopback, HOST: '0.0.0.0', PORT: 7777 })).toBe('http://127.0.0.1:7777')
})

it('can be reached from this machine, also if the listener has all addresses', () => {
	const hosts = ['0.0.0.0', '::', '::1', '127.0.0.9', 'localhost', '192.0.2.7']
	expect(hosts.map((HOST) => localAddress({ HOST }, 80))).toEqual([
		'http://127.0.0.1:80',
		'http://[::1]:80',
		'http://[::1]:80',
		'http://127.0.0.9:80',
		'http://localhost:80',
		'http://192.0.2.7:80',
	])
})
