import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { DispatcherBase } from '../../../platform/undici.ts'
import { answerMcp, type HostAnswer } from './answer-mcp.ts'
import { answerModel } from './answer-model.ts'

/** No name under it exists (RFC 2606), so nothing real is hidden by it. */
const suffix = '.demo.invalid'

/** The address of a host of the demo; it is answered inside this process. */
export function demoUrl(name: string, path: string): string {
	return `https://${name}${suffix}${path}`
}

/** Answers for the servers and the model provider of the demo, and sends everything else to the network. */
export function withDemoHosts(network: Dispatcher): Dispatcher {
	return new DemoHosts(network)
}

class DemoHosts extends DispatcherBase {
	readonly #network: Dispatcher

	constructor(network: Dispatcher) {
		super()
		this.#network = network
	}

	override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
		const origin = String(options.origin)
		// Of every call but the demo's, this is all.
		if (!origin.includes(suffix)) return this.#network.dispatch(options, handler)
		const host = URL.parse(origin)?.hostname ?? ''
		if (!host.endsWith(suffix)) return this.#network.dispatch(options, handler)
		const exchange = new Exchange(handler)
		exchange.run(async () => answer(host.slice(0, -suffix.length), options))
		return true
	}
}

async function answer(name: string, options: Dispatcher.DispatchOptions): Promise<HostAnswer> {
	const request = {
		name,
		method: options.method,
		path: options.path,
		headers: headersOf(options.headers),
		body: await bodyText(options.body),
	}
	return name === 'models' ? answerModel(request) : answerMcp(request)
}

/** One exchange without a socket. Answers are small, so a pause of the reader holds up nothing. */
class Exchange implements Dispatcher.DispatchController {
	readonly #handler: Dispatcher.DispatchHandler
	paused = false
	aborted = false
	reason: Error | null = null
	/** From where `fetch` reads the headers of an answer. */
	rawHeaders: Buffer[] = []

	constructor(handler: Dispatcher.DispatchHandler) {
		this.#handler = handler
	}

	run(answer: () => Promise<HostAnswer>): void {
		this.#handler.onRequestStart?.(this, null)
		answer().then(
			({ status, json }) => this.#send(status, json),
			(error: Error) => this.abort(error),
		)
	}

	abort(reason: Error): void {
		if (this.aborted) return
		this.aborted = true
		this.reason = reason
		this.#handler.onResponseError?.(this, reason)
	}

	pause(): void {
		this.paused = true
	}

	resume(): void {
		this.paused = false
	}

	#send(status: number, json: unknown): void {
		if (this.aborted) return
		const headers: IncomingHttpHeaders = json === undefined ? {} : { 'content-type': 'application/json' }
		this.rawHeaders = Object.entries(headers)
			.flat()
			.map((text) => Buffer.from(String(text)))
		this.#handler.onResponseStart?.(this, status, headers, '')
		if (json !== undefined) this.#handler.onResponseData?.(this, Buffer.from(JSON.stringify(json)))
		this.#handler.onResponseEnd?.(this, {})
	}
}

/** Headers in any of the forms that a dispatcher takes, with names in lower case. */
function headersOf(headers: Dispatcher.DispatchOptions['headers']): Record<string, string> {
	if (Array.isArray(headers)) return fromPairs(headers)
	const given = Object.entries((headers ?? {}) as Record<string, unknown>)
	return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), String(value)]))
}

function fromPairs(flat: readonly unknown[]): Record<string, string> {
	const headers: Record<string, string> = {}
	for (let at = 0; at < flat.length; at += 2) headers[String(flat[at]).toLowerCase()] = String(flat[at + 1])
	return headers
}

/** A body in any of the forms that our own requests have. */
async function bodyText(body: unknown): Promise<string> {
	if (typeof body === 'string') return body
	if (body instanceof Uint8Array) return Buffer.from(body).toString()
	if (body === null || body === undefined) return ''
	const chunks: Buffer[] = []
	for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(Buffer.from(chunk))
	return Buffer.concat(chunks).toString()
}
