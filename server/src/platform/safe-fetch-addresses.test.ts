import { describe, expect, it } from 'vitest'
import { createSafeFetch } from './safe-fetch.ts'
import { strict, useCanary } from './safe-fetch-testing.ts'

const canary = useCanary()

const hosts = [
	...[
		'127.0.0.1',
		'127.1',
		'127.0.1',
		'127.255.255.254',
		'0177.0.0.1',
		'0x7f.1',
		'0x7f000001',
		'2130706433',
		'017700000001',
		'127.0.0.1.',
	],
	...[
		'①②⑦.⓪.⓪.①',
		'127。0。0。1',
		'%31%32%37.0.0.1',
		'localhost',
		'LOCALHOST',
		'localhost.',
		'a.localhost',
		'ⓛocalhost',
		'0x7F.0x0.0x0.0x1',
	],
	...[
		'0',
		'0.0.0.0',
		'0x0',
		'00',
		'0.0.0.1',
		'[::]',
		'[::1]',
		'[0:0:0:0:0:0:0:1]',
		'[::0001]',
		'[::ffff:127.0.0.1]',
		'[::ffff:7f00:1]',
		'[::127.0.0.1]',
	],
	...[
		'[::ffff:0:127.0.0.1]',
		'[::7f00:1]',
		'[64:ff9b::7f00:1]',
		'[64:ff9b::127.0.0.1]',
		'[64:ff9b:1::7f00:1]',
		'[2002:7f00:1::]',
		'[2001:0:7f00:1::]',
	],
	...[
		'169.254.169.254',
		'2852039166',
		'0xa9fea9fe',
		'0251.0376.0251.0376',
		'169.254.43518',
		'[::ffff:a9fe:a9fe]',
		'[64:ff9b::a9fe:a9fe]',
		'[2002:a9fe:a9fe::1]',
	],
	...[
		'169.254.170.2',
		'169.254.1.1',
		'100.100.100.200',
		'168.63.129.16',
		'[fd00:ec2::254]',
		'[fe80::a9fe:a9fe]',
		'[fe80::1]',
		'[fec0::1]',
		'[fc00::1]',
		'[fd12:3456::1]',
	],
	...[
		'10.0.0.1',
		'10.1',
		'012.0.0.1',
		'167772161',
		'172.16.0.1',
		'172.31.255.255',
		'192.168.0.1',
		'3232235521',
		'192.168.1',
		'100.64.0.1',
		'100.127.255.255',
	],
	...[
		'[::ffff:10.0.0.1]',
		'[::ffff:192.168.0.1]',
		'198.18.0.1',
		'192.0.0.1',
		'192.0.2.1',
		'203.0.113.1',
		'198.51.100.1',
		'192.88.99.1',
		'224.0.0.1',
		'239.1.1.1',
	],
	...[
		'255.255.255.255',
		'240.0.0.1',
		'[ff02::1]',
		'[ff0e::1]',
		'[2001:db8::1]',
		'[3fff::1]',
		'[100::1]',
		'[2001:20::1]',
		'[5f00::1]',
		'[4000::1]',
	],
]

describe('an address inside the network', () => {
	it.each(hosts)('never connects to %s', async (host) => {
		const { fetch, close } = createSafeFetch(strict)
		await expect(fetch(`http://${host}:${canary.port}/`, { timeoutMs: 2000 })).rejects.toMatchObject({
			code: 'blocked_address',
		})
		expect(canary.connections).toBe(0)
		await close()
	})

	it.each(hosts.filter((host) => !host.includes('localhost')))(
		'never connects to %s by its dispatcher',
		async (host) => {
			const { dispatcher, close } = createSafeFetch(strict)
			await expect(
				dispatcher.request({ origin: `http://${host}:${canary.port}`, path: '/', method: 'GET' }),
			).rejects.toMatchObject({ code: 'blocked_address' })
			expect(canary.connections).toBe(0)
			await close()
		},
	)
})
