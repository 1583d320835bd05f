import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

/** Returns the client's plain IP address, or '' if its connection has already closed. */
export type ClientAddressOf = (request: IncomingMessage) => string

/**
 * Determines the client's address. Without trusted proxies it is the peer of the connection. Otherwise `X-Forwarded-For` is read
 * from the right for as long as each hop is a trusted proxy; entries that the client wrote itself are further left and never
 * reached. An entry that is not an address ends the search. `Forwarded` (RFC 7239) is not read.
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

/** Peers of requests that another process of the program accepted and forwarded. */
const peers = new WeakMap<IncomingMessage, string>()

/** Sets the peer address of a request whose connection another process accepted. */
export function setPeer(request: IncomingMessage, peer: string): void {
	peers.set(request, peer)
}

/** The peer addresses of connections, which all their requests share. */
const peersOfSockets = new WeakMap<object, string>()

/** The peer address of the connection. */
export function peerOf(request: IncomingMessage): string {
	const { socket } = request
	const known = peers.get(request) ?? peersOfSockets.get(socket)
	if (known !== undefined) return known
	const peer = plainAddress(socket.remoteAddress ?? '') ?? ''
	// A connection that has ended has no address any more.
	if (peer !== '') peersOfSockets.set(socket, peer)
	return peer
}

function forwardedFor({ headers }: IncomingMessage): string[] {
	const value = headers['x-forwarded-for']
	return [value ?? []].flat().join(',').split(',')
}

function isTrusted(trusted: BlockList, address: string): boolean {
	const family = isIP(address)
	return family !== 0 && trusted.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** An address without port, brackets, zone and IPv4-mapped prefix, or null. */
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

/** An IPv6 customer controls a whole /64. */
export function networkOf(address: string): string {
	if (!address.includes(':')) return address
	const [head = '', tail = ''] = address.split('::')
	const first = head.split(':').filter(Boolean)
	const last = address.includes('::') ? tail.split(':').filter(Boolean) : []
	const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0')
	return [...first, ...zeros, ...last].slice(0, 4).join(':')
}
