import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** Where a request comes from: the plain IP address of the client, '' when its connection is already gone. */
export type ClientAddressOf = (request: IncomingMessage) => string

/**
 * Reads the client's address. Without trusted proxies it is the peer of the connection. Otherwise `X-Forwarded-For` is
 * read from the right, as long as each hop so far is a trusted proxy: what a client wrote into it itself is further left
 * and never reached. An entry that is no address ends the walk. `Forwarded` (RFC 7239) is not read.
 */
export function createClientAddressOf(trustedProxies: readonly string[] | null): ClientAddressOf {
	if (!trustedProxies || trustedProxies.length === 0) return peerOf
	const trusted = toBlockList(trustedProxies)
	return (request) => {
		const hops = forwardedFor(request)
		let address = peerOf(request)
		while (isTrusted(trusted, address)) {
			const next = plainAddress(hops.pop() ?? '')
			if (next === null) break
			address = next
		}
		return address
	}
}

export function isLoopbackAddress(address: string): boolean {
	return address === '::1' || address.startsWith('127.')
}

/** Of requests that another process of the program took and forwarded. */
const peers = new WeakMap<IncomingMessage, string>()

/** Notes the address at the other end of the connection on which another process took a request. */
export function comeFrom(request: IncomingMessage, peer: string): void {
	peers.set(request, peer)
}

/** The address at the other end of the connection. */
export function peerOf(request: IncomingMessage): string {
	return peers.get(request) ?? plainAddress(request.socket.remoteAddress ?? '') ?? ''
}

function forwardedFor({ headers }: IncomingMessage): string[] {
	const value = headers['x-forwarded-for']
	return [value ?? []].flat().join(',').split(',')
}

function isTrusted(trusted: BlockList, address: string): boolean {
	const family = isIP(address)
	return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** An address without port, brackets, zone and IPv4-in-IPv6 prefix, or null. */
function plainAddress(text: string): string | null {
	if (isIP(text) === 4) return text
	const bare = text
		.trim()
		.replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
		.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
		.replace(/%.*$/, '')
		.replace(/^::ffff:(?=\d+\.)/i, '')
	return isIP(bare) ? bare.toLowerCase() : null
}

function toBlockList(networks: readonly string[]): BlockList {
	const list = new BlockList()
	for (const network of networks) {
		const [address = '', bits] = network.split('/')
		list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4')
	}
	return list
}

/** An IPv6 customer owns a whole /64. */
export function networkOf(address: string): string {
	if (!address.includes(':')) return address
	const [head = '', tail = ''] = address.split('::')
	const first = head.split(':').filter(Boolean)
	const last = address.includes('::') ? tail.split(':').filter(Boolean) : []
	const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
	return [...first, ...zeros, ...last].slice(0, 4).join(':')
}
