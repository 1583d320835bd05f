import { createRequire } from 'node:module'

interface Parsed {
	method: number
	url: string
	status: number
	raw: string[]
	body: string
	/** Whether the message is complete. */
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

// The parser of node:http itself; tests compare ours with it.
const { HTTPParser } = createRequire(import.meta.url)('_http_common') as { HTTPParser: ParserClass }

/** Parses the first message in these bytes with Node's own parser; null if it refuses them. */
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
	// Bytes after a complete message may be refused; the message itself was read.
	return (typeof result === 'number' || wasComplete) && heads > 0 ? found : null
}
