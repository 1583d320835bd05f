import { BlockList, isIP, SocketAddress } from 'node:net'
import { networkInterfaces } from 'node:os'
import { Problem } from './errors.ts'

/** The class of an IP address, which decides whether we may connect to it. */
type AddressKind = 'public' | 'loopback' | 'private' | 'reserved'

export interface AddressRules {
	/** Null if we may connect to the address, otherwise the reason for the refusal. */
	refusalOf(address: string): AddressKind | null
}

/**
 * Never allowed, whatever an operator lists: the unspecified addresses, multicast, cloud metadata, and IPv6 that embeds an IPv4.
 */
const reserved = blockListOf([
	'0.0.0.0/8',
	'224.0.0.0/4',
	'240.0.0.0/4',
	'169.254.169.254/32',
	'169.254.170.0/24',
	'100.100.100.200/32',
	'168.63.129.16/32',
	'192.0.0.192/32',
	'::/96',
	'::ffff:0:0:0/96',
	'64:ff9b::/96',
	'64:ff9b:1::/48',
	'2001::/32',
	'2002::/16',
	'ff00::/8',
	'fd00:ec2::/32',
	'fe80::a9fe:a9fe/128',
])
const loopback = blockListOf(['127.0.0.0/8', '::1/128'])
const privateIpv4 = blockListOf([
	'10.0.0.0/8',
	'100.64.0.0/10',
	'169.254.0.0/16',
	'172.16.0.0/12',
	'192.0.0.0/24',
	'192.0.2.0/24',
	'192.88.99.0/24',
	'192.168.0.0/16',
	'198.18.0.0/15',
	'198.51.100.0/24',
	'203.0.113.0/24',
])
/** In IPv6 only global unicast is public, minus the reserved ranges inside it. */
const globalIpv6 = blockListOf(['2000::/3'])
const specialIpv6 = blockListOf(['2001::/23', '2001:db8::/32', '3fff::/20'])

/** Classifies one IP address, in any spelling that `node:net` accepts; anything else is `reserved`. */
function kindOfAddress(text: string): AddressKind {
	const address = plainAddress(text)
	if (!address) return 'reserved'
	const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
	if (loopback.check(address, family)) return 'loopback'
	if (reserved.check(address, family)) return 'reserved'
	if (family === 'ipv4') return privateIpv4.check(address, family) ? 'private' : 'public'
	return globalIpv6.check(address, family) && !specialIpv6.check(address, family) ? 'public' : 'private'
}

export interface AddressRuleOptions {
	readonly allowedNetworks: readonly string[] | null
	readonly loopbackAllowed: boolean
}

/**
 * The rules of one instance. `allowedNetworks` opens private networks; it opens loopback only if it explicitly lists a loopback
 * network, so that `0.0.0.0/0` does not open this machine. Both options are read for each address, so they may be getters.
 */
export function createAddressRules(options: AddressRuleOptions): AddressRules {
	let opened = openedBy(null)
	return {
		refusalOf: (text) => {
			if (opened.networks !== options.allowedNetworks) opened = openedBy(options.allowedNetworks)
			const kind = kindOfAddress(text)
			if (kind === 'public') return null
			if (kind === 'reserved') return kind
			const address = plainAddress(text) as string
			const list = kind === 'loopback' ? opened.loopback : opened.all
			if (kind === 'loopback' && options.loopbackAllowed) return null
			return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4') ? null : kind
		},
	}
}

function openedBy(networks: readonly string[] | null) {
	const listed = networks ?? []
	const loopbackOnly = listed.filter(
		(network) => kindOfAddress(network.split('/')[0] as string) === 'loopback',
	)
	return { networks, all: blockListOf(listed), loopback: blockListOf(loopbackOnly) }
}

/** Whether a text is a network in CIDR notation, such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
	const [address = '', bits = '', ...rest] = text.split('/')
	const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
	return rest.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most
}

/**
 * The canonical form of an address, without its zone. An address in `::ffff:0:0/96` is returned as IPv4, because the system
 * connects to that.
 */
export function plainAddress(text: string): string | null {
	const bare = text.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
	const family = isIP(bare)
	if (family === 0) return null
	const { address } = new SocketAddress({ address: bare, family: family === 6 ? 'ipv6' : 'ipv4' })
	return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address
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

function blockListOf(networks: readonly string[]): BlockList {
	const list = new BlockList()
	for (const network of networks) {
		const [address = '', bits] = network.split('/')
		list.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4')
	}
	return list
}
