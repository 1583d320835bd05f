import { BlockList, isIP } from 'node:net'
import { plainAddress } from '../../../platform/address-rules.ts'
import { fieldProblem } from './field-problem.ts'

/** Judges where a call comes from; any spelling of an address will do. */
export type AddressCheck = (address: string) => boolean

/** The stored form of a list from outside: IPv4-mapped IPv6 as IPv4. Throws `invalid_request`, naming the entry. */
export function plainNetworks(texts: readonly string[]): string[] {
	return texts.map((text, index) => plainNetwork(text) ?? refuse(text, index))
}

/** Compiled once for each credential, so that a call costs no parsing of the list. */
export function addressCheckOf(stored: string | null): AddressCheck | null {
	if (stored === null) return null
	const list = new BlockList()
	for (const network of JSON.parse(stored) as string[]) {
		const [address = '', bits] = network.split('/')
		const family = familyOf(address)
		if (bits === undefined) list.addAddress(address, family)
		else list.addSubnet(address, Number(bits), family)
	}
	return (given) => {
		const address = plainAddress(given)
		return address !== null && list.check(address, familyOf(address))
	}
}

/** Whether every address of a network in its stored form is one of another. */
export function containsNetwork(outer: string, inner: string): boolean {
	const [address = '', bits] = inner.split('/')
	const width = isIP(address) === 6 ? 128 : 32
	const outerBits = Number(outer.split('/')[1] ?? (outer.includes(':') ? 128 : 32))
	const isIn = addressCheckOf(JSON.stringify([outer]))
	return Number(bits ?? width) >= outerBits && isIn?.(address) === true
}

function plainNetwork(text: string): string | null {
	const [, given = '', bitsText] = text.match(/^([0-9A-Fa-f.:]+)(?:\/(\d{1,3}))?$/) ?? []
	const address = plainAddress(given)
	if (address === null) return null
	const width = isIP(given) === 6 ? 128 : 32
	if (bitsText === undefined) return address
	const bits = Number(bitsText) - (width === 128 && isIP(address) === 4 ? 96 : 0)
	return bits >= 0 && Number(bitsText) <= width ? `${address}/${bits}` : null
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
	return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

function refuse(text: string, index: number): never {
	const detail = `"${text.slice(0, 50)}" is not an address or a network like 10.0.0.0/8 or 2001:db8::/32`
	throw fieldProblem(`/allowed_addresses/${index}`, 'address', detail)
}
