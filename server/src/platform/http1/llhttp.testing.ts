import { createRequire } from 'node:module'

interface Parsed {
	method: number
	url: string
	status: number
	raw: string[]
	body: string
	/** Whether the message came to its end. */
	complete: boolean
}

interface Parser {
	[callback: number]: (...args: never[]) => unknown
	initialize(kind: number, resource: object): void
	execute(bytes: Buffer): number | Error
	finish(): undefined | Error
	close(): void
}
interface ParserClass {
	new (): Parser
	REQUEST: number
	RESPONSE: number
	kOnHeaders: number
	kOnHeadersComplete: number
	kOnBody: number
	kOnMessageComplete: number
}

// The parser of node:http itself; a test compares ours with what it reads.
const { HTTPParser } = createRequire(import.meta.url)('_http_common') as { HTTPParser: ParserClass }

/** What Node's own parser makes of these bytes up to the end of the first message; null where it refuses them. */
export function parseByNode(kind: 'request' | 'response', bytes: Buffer): Parsed | null {
	const parser = new HTTPParser()
	const found: Parsed = { method: -1, url: '', status: 0, raw: [], body: '', complete: false }
	let heads = 0
	parser.initialize(kind === 'request' ? HTTPParser.REQUEST : HTTPParser.RESPONSE, {})
	parser[HTTPParser.kOnHeaders] = (headers: string[], url: string) => {
		if (heads > 0) return
		found.raw.push(...headers)
		found.url += url
	}
	parser[HTTPParser.kOnHeadersComplete] = (...args: unknown[]) => {
		const [, , headers, method, url, status] = args as [number, number, string[], number, string, number]
		heads += 1
		if (heads > 1) return 0
		if (headers) found.raw.push(...headers)
		if (url) found.url = url
		found.method = method
		found.status = status
		return 0
	}
	parser[HTTPParser.kOnBody] = (chunk: Buffer) => {
		if (heads === 1 && !found.complete) found.body += chunk.toString('latin1')
	}
	parser[HTTPParser.kOnMessageComplete] = () => {
		found.complete = true
	}
	const result = parser.execute(bytes)
	const wasComplete = found.complete
	if (kind === 'response' && !wasComplete && typeof result === 'number') parser.finish()
	parser.close()
	// Bytes after a whole message may be refused; the message was read.
	return (typeof result === 'number' || wasComplete) && heads > 0 ? found : null
}
