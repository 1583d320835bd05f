import { createRequire } from 'node:module'
import type * as undici from 'undici'

// Its main module also loads a browser's fetch, caches, mocks and more, of which an idle program needs nothing (13 MB at startup).
// These modules are the ones that send requests; the version is pinned, so its internal paths are known.
const load = createRequire(import.meta.url)

export const DispatcherBase = load('undici/lib/dispatcher/dispatcher.js') as typeof undici.Dispatcher
export const Agent = load('undici/lib/dispatcher/agent.js') as typeof undici.Agent
export const errors = load('undici/lib/core/errors.js') as typeof undici.errors
export const buildConnector = load('undici/lib/core/connect.js') as typeof undici.buildConnector
/** Ports that web clients refuse (WHATWG), since other protocols use them. */
export const { badPortsSet } = load('undici/lib/web/fetch/constants.js') as {
	badPortsSet: ReadonlySet<string>
}
Object.assign(DispatcherBase.prototype, load('undici/lib/api'))

/** Handles requests to origins with a scheme of our own and passes all others to `next`. */
export abstract class SchemeDispatcher extends DispatcherBase {
	readonly scheme: string
	readonly next: undici.Dispatcher

	constructor(scheme: string, next: undici.Dispatcher) {
		super()
		this.scheme = scheme
		this.next = next
	}

	/** `origin` is given without the scheme. */
	protected abstract carry(
		origin: string,
		options: undici.Dispatcher.DispatchOptions,
		handler: undici.Dispatcher.DispatchHandler,
	): void

	override dispatch(
		options: undici.Dispatcher.DispatchOptions,
		handler: undici.Dispatcher.DispatchHandler,
	): boolean {
		const origin = String(options.origin)
		if (!origin.startsWith(this.scheme)) return this.next.dispatch(options, handler)
		this.carry(origin.slice(this.scheme.length), options, handler)
		return true
	}
}

/** The dispatcher that handles requests to an origin. For callers that send many requests there. */
export function carrierOf(dispatcher: undici.Dispatcher, origin: string): undici.Dispatcher {
	let carrier = dispatcher
	while (carrier instanceof SchemeDispatcher && !origin.startsWith(carrier.scheme)) carrier = carrier.next
	return carrier
}

/** The complete module, loaded on first use. */
export function wholeUndici(): typeof undici {
	return load('undici') as typeof undici
}
