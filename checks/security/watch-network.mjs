// Loaded before the program by `--import`. It resolves names at the test's DNS server, as if resolv.conf named it, and records every
// network connection that the process opens. Connections to the engine use a socket file and are not recorded.
import { subscribe } from 'node:diagnostics_channel'
import dns from 'node:dns'
import { appendFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { isIP } from 'node:net'

const { TEST_DNS_SERVER: server, TEST_CONNECTIONS_FILE: file } = process.env

if (server) {
	const resolver = new dns.promises.Resolver({ timeout: 20_000, tries: 1 })
	resolver.setServers([server])
	const systemLookup = dns.lookup
	dns.lookup = (hostname, options, callback) => {
		if (isIP(hostname) || hostname === 'localhost') return systemLookup(hostname, options, callback)
		resolveBoth(resolver, hostname).then(
			(found) => (options.all ? callback(null, found) : callback(null, found[0].address, found[0].family)),
			callback,
		)
	}
	syncBuiltinESMExports()
}

if (file)
	subscribe('net.client.socket', ({ socket }) =>
		socket.on('connectionAttempt', (address, port) => {
			if (port !== undefined) appendFileSync(file, `${address} ${port}\n`)
		}),
	)

async function resolveBoth(resolver, hostname) {
	const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
	// A timeout of one family must fail the lookup. Otherwise the name would resolve to only half of the test's addresses.
	const late = answers.find(({ reason }) => reason?.code === dns.TIMEOUT)
	if (late) throw late.reason
	const found = answers.flatMap(({ value }, index) =>
		(value ?? []).map((address) => ({ address, family: index === 0 ? 4 : 6 })),
	)
	if (found.length === 0) throw Object.assign(new Error('ENOTFOUND'), { code: 'ENOTFOUND' })
	return found
}
