import { createRequire } from 'node:module'
import type * as undici from 'undici'

// Its main file loads a browser's fetch, caches, mocks and more, of which an idle program needs nothing (13 MB at the
// start). These are the parts that carry requests; the version is pinned, so its inner paths are known.
const load = createRequire(import.meta.url)

export const DispatcherBase = load('undici/lib/dispatcher/dispatcher.js') as typeof undici.Dispatcher
export const Agent = load('undici/lib/dispatcher/agent.js') as typeof undici.Agent
export const errors = load('undici/lib/core/errors.js') as typeof undici.errors
export const buildConnector = load('undici/lib/core/connect.js') as typeof undici.buildConnector
/** Ports that web clients refuse (WHATWG), since what listens there speaks something else than HTTP. */
export const { badPortsSet } = load('undici/lib/web/fetch/constants.js') as {
	badPortsSet: ReadonlySet<string>
}
Object.assign(DispatcherBase.prototype, load('undici/lib/api'))

/** Everything else, loaded at its first use. */
export function wholeUndici(): typeof undici {
	return load('undici') as typeof undici
}
