import { Problem } from '../errors.ts'

/** Headers that belong to the transport or to the protocol, which we speak ourselves. */
const ours: ReadonlySet<string> = new Set([
	...[
		'host',
		'content-length',
		'content-type',
		'content-encoding',
		'transfer-encoding',
		'connection',
		'keep-alive',
		'upgrade',
		'te',
		'trailer',
		'expect',
	],
	...[
		'accept',
		'accept-encoding',
		'proxy-connection',
		'proxy-authorization',
		'mcp-session-id',
		'mcp-protocol-version',
		'mcp-method',
		'mcp-name',
		'last-event-id',
	],
])
const namesMax = 50

/** Checks the headers that an admin wants sent with every request; names in lower case. */
export function parseHeaders(headers: Record<string, string>): Map<string, string> {
	const parsed = new Map<string, string>()
	for (const [name, value] of Object.entries(headers)) {
		const lower = name.toLowerCase()
		if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(lower)) throw malformed(name, 'is not a header name')
		if (ours.has(lower)) throw malformed(name, 'is set by the platform itself')
		if (parsed.has(lower)) throw malformed(name, 'is given twice')
		if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
			throw malformed(name, 'has a value that a header cannot carry')
		parsed.set(lower, value.trim())
	}
	if (parsed.size > namesMax) throw malformed('', `has more than ${namesMax} entries`)
	return parsed
}

function malformed(name: string, detail: string): Problem {
	const pointer = `/headers${name && `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`}`
	return new Problem('invalid_request', `body${pointer}: ${detail}.`, {
		errors: [{ pointer, code: 'header', detail }],
	})
}
