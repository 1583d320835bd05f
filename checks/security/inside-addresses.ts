/** IPv4 addresses that no upstream may have: one or two of each special range. */
const ipv4Targets = [
	'127.0.0.1',
	'127.255.255.254',
	'0.0.0.0',
	'0.0.0.1',
	'10.0.0.1',
	'100.64.0.1',
	'100.100.100.200',
	'168.63.129.16',
	'169.254.1.1',
	'169.254.169.254',
	'169.254.170.2',
	'172.16.0.1',
	'172.31.255.255',
	'192.0.0.192',
	'192.0.2.1',
	'192.168.0.1',
	'198.18.0.1',
	'224.0.0.1',
	'240.0.0.1',
	'255.255.255.255',
] as const

/** IPv6 addresses that contain no IPv4 address: loopback, link-local, unique local, multicast and reserved. */
const ipv6Targets = [
	'::',
	'::1',
	'::0001',
	'0:0:0:0:0:0:0:1',
	'0000:0000:0000:0000:0000:0000:0000:0001',
	'fe80::1',
	'fe80::a9fe:a9fe',
	'febf::1',
	'fec0::1',
	'fc00::1',
	'fd12:3456::1',
	'fd00:ec2::254',
	'ff02::1',
	'ff0e::1',
	'2001:db8::1',
	'3fff::1',
	'100::1',
	'2001:20::1',
	'5f00::1',
	'4000::1',
]

const names = [
	'localhost',
	'LOCALHOST',
	'localhost.',
	'a.localhost',
	'a.b.localhost.',
	'ⓛocalhost',
	'ｌｏｃａｌｈｏｓｔ',
	'loc%61lhost',
]

/** All these addresses, as a DNS server can return them. */
export const insideAddresses: readonly string[] = [
	...ipv4Targets,
	...ipv6Targets,
	...ipv4Targets.flatMap((address) => ipv6Carrying(numberOf(address))),
]

/** Spellings of internal hosts in a URL. */
export const insideHosts: readonly string[] = [
	...new Set([
		...ipv4Targets.flatMap(spellingsOf),
		...ipv6Targets.map((address) => `[${address}]`),
		...ipv6Targets.map((address) => `[${address.toUpperCase()}]`),
		...names,
	]),
]

/** At least 300 of them, taken evenly from the whole list, for entry points that are slow to try. */
export const someInsideHosts: readonly string[] = insideHosts.filter((_host, index) => index % 9 < 5)

/** URLs that a check and a client could read differently. */
export function trickUrls(port: number): string[] {
	const inside = `127.0.0.1:${port}`
	return [
		`http://example.com@${inside}/`,
		`http://user:password@${inside}/`,
		`http://example.com%2f@${inside}/`,
		`http://example.com:80@${inside}/`,
		`http://@${inside}/`,
		`http://${inside}#@example.com/`,
		`http://${inside}?@example.com/`,
		`http://${inside}\\@example.com/`,
		`http:\\\\${inside}/`,
		`http:/${inside}/`,
		`http:${inside}/`,
		`http:///${inside}/`,
		`hTTp://${inside}/`,
		`http://127.0.0.\t1:${port}/`,
		`http://127.0.0.\n1:${port}/`,
		` http://${inside}/`,
		`http://127.0.0.1:0${port}/`,
		`http://127.0.0.1\u00ad:${port}/`,
		`http://127\u30020\u30020\u30021:${port}/`,
		`http://[::1%25lo]:${port}/`,
		`http://[::ffff:127.0.0.1%25lo]:${port}/`,
		`https://${inside}/`,
		`//${inside}/`,
		`ws://${inside}/`,
		`ftp://${inside}/`,
		`gopher://${inside}/_x`,
		`dict://${inside}/`,
		'file:///etc/passwd',
		'unix:/var/run/docker.sock',
		'data:text/plain,x',
		'jar:http://127.0.0.1!/',
		`blob:http://${inside}/x`,
	]
}

function spellingsOf(address: string): string[] {
	const value = numberOf(address)
	const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
	const hex = (part: number) => `0x${part.toString(16)}`
	const octal = (part: number) => `0${part.toString(8)}`
	return [
		address,
		`${address}.`,
		String(value),
		hex(value),
		hex(value).toUpperCase(),
		octal(value),
		[a, b, c, d].map(hex).join('.'),
		[a, b, c, d].map(octal).join('.'),
		[a, b, c, d].map((part) => `0000${octal(part)}`).join('.'),
		`${hex(a)}.${octal(b)}.${c}.${d}`,
		`${a}.${b}.${c * 256 + d}`,
		`${a}.${(b * 256 + c) * 256 + d}`,
		address.replaceAll('.', '。'),
		[...address]
			.map((digit) => (digit === '.' ? '.' : String.fromCodePoint(0xff10 + Number(digit))))
			.join(''),
		[...address].map((digit) => (digit === '.' ? '.' : circled(Number(digit)))).join(''),
		[...address].map((char) => `%${char.charCodeAt(0).toString(16)}`).join(''),
		...ipv6Carrying(value).map((carrying) => `[${carrying}]`),
		`[::ffff:${address}]`,
		`[::${address}]`,
		`[64:ff9b::${address}]`,
		`[0:0:0:0:0:FFFF:${address}]`,
	]
}

/** The IPv6 addresses that a system or a gateway translates to this IPv4 address. */
function ipv6Carrying(value: number): string[] {
	const high = (value >>> 16).toString(16)
	const low = (value & 0xffff).toString(16)
	return [
		`::ffff:${high}:${low}`,
		`::ffff:0:${high}:${low}`,
		`64:ff9b::${high}:${low}`,
		`64:ff9b:1::${high}:${low}`,
		`2002:${high}:${low}::`,
		`2001:0:${high}:${low}::`,
		`fe80::5efe:${high}:${low}`,
	]
}

function circled(digit: number): string {
	return digit === 0 ? '⓪' : String.fromCodePoint(0x2460 + digit - 1)
}

function numberOf(address: string): number {
	return address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
}
