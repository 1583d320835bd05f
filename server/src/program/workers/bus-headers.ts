import type { IncomingMessage } from 'node:http'

/** What workers add to a request on the bus; nobody else can reach it. */
export const busHeaders = {
	/** The key of this start. */
	key: 'x-signalbox-bus-key',
	/** Address of the peer that a forwarded request came from. */
	peer: 'x-signalbox-bus-peer',
	/** Id of the server whose program an exchange is with. */
	program: 'x-signalbox-bus-program',
	/** Of such an exchange: its longest silence, 0 for none. */
	idleMs: 'x-signalbox-bus-idle-ms',
	/** In place of a program's answer: the code of a `Problem`, or of another error, whose text is the body. */
	problem: 'x-signalbox-bus-problem',
	failure: 'x-signalbox-bus-failure',
} as const

const own: ReadonlySet<string> = new Set(Object.values(busHeaders))
/** They are about one connection (RFC 9110 §7.6.1). */
const ofOneHop: ReadonlySet<string> = new Set([
	'connection',
	'keep-alive',
	'proxy-connection',
	'te',
	'transfer-encoding',
	'upgrade',
])

/** Names and values in turn, without those of the bus and those that are about one connection. */
export function passedHeaders(rawHeaders: readonly string[]): string[] {
	const passed: string[] = []
	for (let at = 0; at < rawHeaders.length; at += 2) {
		const name = rawHeaders[at] as string
		const lower = name.toLowerCase()
		if (!own.has(lower) && !ofOneHop.has(lower)) passed.push(name, rawHeaders[at + 1] as string)
	}
	return passed
}

/** The request as its sender made it. */
export function withoutBusHeaders(request: IncomingMessage): void {
	for (const name of own) delete request.headers[name]
	request.rawHeaders = request.rawHeaders.flatMap((text, at, all) =>
		own.has((all[at - (at % 2)] as string).toLowerCase()) ? [] : [text],
	)
}
