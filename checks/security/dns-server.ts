import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { isIP } from 'node:net'

export interface DnsServer {
	/** `127.0.0.1:port`. */
	address: string
	/** How often each name was queried, for IPv4 and IPv6 together. */
	asked: Map<string, number>
	close(): void
}

const types = { A: 1, AAAA: 28 }

/**
 * Starts a DNS server whose answers have a time to live of 0 and may differ for each query. `answer` gets the name, and how often this
 * name and type were queried before.
 */
export async function startDnsServer(answer: (name: string, turn: number) => string[]): Promise<DnsServer> {
	const socket = createSocket('udp4')
	const turns = new Map<string, number>()
	const asked = new Map<string, number>()
	socket.on('message', (query, from) => {
		const { name, type, end } = readQuery(query)
		const key = `${name} ${type}`
		const turn = turns.get(key) ?? 0
		turns.set(key, turn + 1)
		asked.set(name, (asked.get(name) ?? 0) + 1)
		const family = type === types.A ? 4 : type === types.AAAA ? 6 : 0
		const addresses = answer(name, turn).filter((address) => isIP(address) === family)
		socket.send(replyTo(query.subarray(0, end), type, addresses), from.port, from.address)
	})
	socket.bind(0, '127.0.0.1')
	await once(socket, 'listening')
	return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => socket.close() }
}

function readQuery(query: Buffer): { name: string; type: number; end: number } {
	const labels: string[] = []
	let at = 12
	for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
		labels.push(query.toString('latin1', at + 1, at + 1 + length))
		at += 1 + length
	}
	return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function replyTo(question: Buffer, type: number, addresses: readonly string[]): Buffer {
	const head = Buffer.from(question)
	head.writeUInt16BE(0x8180, 2)
	head.writeUInt16BE(addresses.length, 6)
	head.writeUInt32BE(0, 8)
	const records = addresses.map((address) => {
		const bytes = bytesOf(address)
		const record = Buffer.alloc(12)
		record.writeUInt16BE(0xc00c, 0)
		record.writeUInt16BE(type, 2)
		record.writeUInt16BE(1, 4)
		record.writeUInt16BE(bytes.length, 10)
		return Buffer.concat([record, bytes])
	})
	return Buffer.concat([head, ...records])
}

function bytesOf(address: string): Buffer {
	if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
	const full = new URL(`http://[${address}]`).hostname.slice(1, -1)
	const [left = '', right] = full.split('::')
	const groups = (text: string | undefined) => (text ? text.split(':') : [])
	const zeros = Array(8 - groups(left).length - groups(right).length).fill('0')
	const all = right === undefined ? groups(left) : [...groups(left), ...zeros, ...groups(right)]
	return Buffer.from(
		all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]),
	)
}
