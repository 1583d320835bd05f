import { BlockList, isIP } from 'node:net'
import { type LimitClass, limitClasses } from '@signalbox/contract'

/** Parsers from the text of a setting to its value; each throws an error that says what was expected. */
export const text = (value: string) => value
export const port = integerBetween(0, 65_535)

/** A host name or an address; an IPv6 address may have the brackets that it has in a URL. */
export function listenHost(value: string): string {
	const host = value.replace(/^\[(.*)\]$/, '$1')
	const isName = /^[a-z\d_]([a-z\d_.-]*[a-z\d_])?\.?$/i.test(host)
	if (!isName && !isIP(host)) throw new Error(`expected a host name or an IP address, got "${value}"`)
	return host
}

export function integerBetween(min: number, max: number) {
	const parse = (value: string): number => {
		const number = Number(value)
		if (!/^\d+$/.test(value) || number < min || number > max)
			throw new Error(`expected a whole number from ${min} to ${max}, got "${value}"`)
		return number
	}
	return Object.assign(parse, { schema: { type: ['integer', 'string'], minimum: min, maximum: max } })
}

export function oneOf<const T extends string>(...values: T[]) {
	const parse = (value: string): T => {
		if (!values.includes(value as T)) throw new Error(`expected one of ${values.join(', ')}, got "${value}"`)
		return value as T
	}
	return Object.assign(parse, { schema: { enum: values } })
}

export function urlOf(...protocols: string[]) {
	return (value: string): string => {
		const url = URL.parse(value)
		if (!url || !protocols.includes(url.protocol))
			throw new Error(
				`expected an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
			)
		return value
	}
}

/** Where people and clients reach this program. Paths are appended to it, so nothing may follow its own. */
export function baseUrl(value: string): string {
	const { username, password, search, hash } = new URL(urlOf('http:', 'https:')(value))
	if (username || password || search || hash || /[?#]$/.test(value))
		throw new Error(
			'expected an address without user name, password, ? and #, like https://signalbox.example',
		)
	return value
}

function list(value: string): string[] {
	return value
		.split(',')
		.map((part) => part.trim())
		.filter(Boolean)
}

/** Separators of `PATH` and the like, which are not allowed here. */
const otherSeparator = /[:; ]\//

/** Absolute paths without `..`, separated by commas. */
export function absolutePaths(value: string): string[] {
	for (const path of list(value)) {
		if (!path.startsWith('/') || path.split('/').includes('..'))
			throw new Error(`"${path}" is not an absolute path`)
		if (otherSeparator.test(path)) throw new Error(`"${path}" is several paths: put commas between them`)
	}
	return list(value)
}

/** Exact origins, neither `*` nor with a path, since the browser's header is compared as text. */
export function origins(value: string): string[] {
	for (const origin of list(value)) {
		const url = URL.parse(origin)
		if (!url || !/^https?:$/.test(url.protocol) || url.origin !== origin)
			throw new Error(
				`"${origin}" is not an origin like https://app.example: scheme, host and port only, in small letters, without *`,
			)
	}
	return list(value)
}

export function networks(value: string): string[] {
	for (const network of list(value)) {
		const [address = '', bits] = network.split('/')
		const family = isIP(address)
		if (!family || !/^\d{1,3}$/.test(bits ?? ''))
			throw new Error(`"${network}" is not a network like 10.0.0.0/8`)
		new BlockList().addSubnet(address, Number(bits), family === 6 ? 'ipv6' : 'ipv4')
	}
	return list(value)
}

/** `name@host` or `Name <name@host>`. */
export function mailbox(value: string): string {
	if (!/^(?:[^<>\r\n]*<[^@\s<>]+@[^@\s<>]+>|[^@\s<>]+@[^@\s<>]+)$/.test(value))
		throw new Error(`expected an e-mail address or "Name <address>", got "${value}"`)
	return value
}

export type RateLimits = Partial<Record<LimitClass, { requests: number; windowMs: number } | null>>

/** `api=1000/10,mcp=off`: requests, and the window in seconds. */
export function rateLimits(value: string): RateLimits {
	const parts = list(value)
	const entries = parts.map((part) => {
		const [, name = '', off, requests, seconds] =
			part.match(/^(\w+)=(?:(off)|([1-9]\d{0,8})\/([1-9]\d{0,4}))$/) ?? []
		if (!(name in limitClasses))
			throw new Error(
				`"${part}" is not a limit like api=1000/10 or mcp=off; classes are ${Object.keys(limitClasses).join(', ')}`,
			)
		if (parts.some((other) => other !== part && other.startsWith(`${name}=`)))
			throw new Error(`"${part}" is not the only limit of ${name}`)
		return [name, off ? null : { requests: Number(requests), windowMs: Number(seconds) * 1000 }] as const
	})
	return Object.fromEntries(entries)
}

/** Whether a host name or address is this machine's loopback. */
export function isLoopbackHost(host: string): boolean {
	return (
		host === 'localhost' ||
		host === '::1' ||
		host === '[::1]' ||
		(host.startsWith('127.') && isIP(host) === 4)
	)
}
