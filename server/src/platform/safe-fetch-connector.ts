import { type LookupAddress, lookup as resolveName } from 'node:dns'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { buildConnector as connectors } from 'undici'
import { type AddressRules, kindOfAddress, plainAddress } from './address-rules.ts'
import { Problem } from './errors.ts'
import { buildConnector } from './undici.ts'

/** A listener of ours that must never be a target; without `host`, a port on this machine. */
export interface ForbiddenTarget {
	host?: string
	port: number
}

export interface ConnectRules {
	addresses: AddressRules
	forbidden: () => readonly ForbiddenTarget[]
	/** Resolves a name; replaced in tests of DNS rebinding. */
	resolve?: (hostname: string) => Promise<LookupAddress[]>
}

const connectTimeoutMs = 10_000

export interface Connector {
	connect: connectors.connector
	/** Closes open connections to addresses that the rules now refuse. */
	closeRefused(): void
}

/** Connects only to addresses that the rules allow; each address of a name is checked at the moment of connecting. */
export function createConnector(rules: ConnectRules): Connector {
	const open = new Set<Socket>()
	const connectOne = checkedConnect(rules)
	return {
		connect: (options, callback) =>
			connectOne(options, (...result) => {
				const [, socket] = result
				if (socket) open.add(socket.once('close', () => open.delete(socket)))
				callback(...result)
			}),
		closeRefused: () => {
			for (const socket of open)
				if (rules.addresses.refusalOf(socket.remoteAddress ?? '') !== null) socket.destroy()
		},
	}
}

function checkedConnect(rules: ConnectRules): connectors.connector {
	const byPort = new Map<number, connectors.connector>()
	return (options, callback) => {
		const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80)
		const connect = connectorOf(byPort, port, rules)
		const host = options.hostname.replace(/^\[|\]$/g, '')
		if (isIP(host) === 0) return connect(options, callback)
		checkAddresses(host, [host], port, rules).then(
			() => connect(options, callback),
			(error: Error) => callback(error, null),
		)
	}
}

/** `lookup` is not given the port, so each port has its own connector. */
function connectorOf(
	byPort: Map<number, connectors.connector>,
	port: number,
	rules: ConnectRules,
): connectors.connector {
	const known = byPort.get(port)
	if (known) return known
	const connector = buildConnector({
		timeout: connectTimeoutMs,
		allowH2: false,
		lookup: checkedLookup(port, rules),
	})
	byPort.set(port, connector)
	return connector
}

function checkedLookup(port: number, rules: ConnectRules): LookupFunction {
	const resolve = rules.resolve ?? resolveAll
	return (hostname, options, callback) => {
		const answer = async () => {
			const found = await resolve(hostname)
			await checkAddresses(
				hostname,
				found.map(({ address }) => address),
				port,
				rules,
			)
			return options.family ? found.filter(({ family }) => family === Number(options.family)) : found
		}
		answer().then(
			(found) =>
				options.all ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family),
			(error: NodeJS.ErrnoException) => callback(error, options.all ? [] : ''),
		)
	}
}

function resolveAll(hostname: string): Promise<LookupAddress[]> {
	return new Promise((done, fail) => {
		resolveName(hostname, { all: true }, (error, found) => (error ? fail(error) : done(found)))
	})
}

/** One refused address refuses the name: a name with both a public and a private address looks like a rebinding attack. */
async function checkAddresses(
	host: string,
	addresses: readonly string[],
	port: number,
	rules: ConnectRules,
): Promise<void> {
	for (const address of addresses) {
		const refusal = rules.addresses.refusalOf(address)
		if (refusal) throw blockedAddress(host, refusal)
	}
	const candidates = rules.forbidden().filter((target) => target.port === port)
	for (const target of candidates)
		if (await isTarget(target, host, addresses)) throw blockedAddress(host, 'own')
}

async function isTarget(
	target: ForbiddenTarget,
	host: string,
	addresses: readonly string[],
): Promise<boolean> {
	if (target.host === undefined) return addresses.some(isThisMachine)
	if (target.host.toLowerCase() === host.toLowerCase()) return true
	const own = isIP(target.host)
		? [target.host]
		: (await resolveAll(target.host).catch(() => [])).map(({ address }) => address)
	const plain = new Set(own.map(plainAddress))
	return addresses.some((address) => plain.has(plainAddress(address)))
}

/** Whether an address belongs to this machine. */
export function isThisMachine(address: string): boolean {
	if (kindOfAddress(address) === 'loopback') return true
	const plain = plainAddress(address)
	return Object.values(networkInterfaces()).some((entries) =>
		entries?.some((entry) => plainAddress(entry.address) === plain),
	)
}

const reasons = {
	loopback: 'leads to this machine',
	private: 'is in a private network',
	reserved: 'is reserved',
	own: 'is a port of ours',
	public: '',
}

/** The refusal of a target, with a reason but without the address that a name resolved to. */
export function blockedAddress(host: string, kind: keyof typeof reasons): Problem {
	return new Problem('blocked_address', `The address of ${host} ${reasons[kind]}, which is not allowed.`)
}
