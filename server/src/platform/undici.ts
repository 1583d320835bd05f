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

/** The complete module, loaded on first use. */
export function wholeUndici(): typeof undici {
	return load('undici') as typeof undici
}
