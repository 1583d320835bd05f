// `node --import @signalbox/sdk/register server.mjs`: observes every MCP server and client of the process, configured by the
// environment.
import Module from 'node:module'
import { pathToFileURL } from 'node:url'
import { type InstrumentableClient, observeConnecting } from './instrument.ts'
import { quietly } from './quietly.ts'
import { type Loaded, marked, registrar } from './register-source.ts'

type NextLoad = (url: string, context: unknown) => Loaded
type Compile = (this: unknown, source: string, path: string, ...rest: unknown[]) => unknown

/** Missing in the types of Node 20; and an internal part through which every `require` passes there. */
interface Hooks {
	registerHooks?(hooks: { load(url: string, context: unknown, next: NextLoad): Loaded }): void
	register(specifier: string, parent: string): void
	prototype: { _compile: Compile }
}

const hooks = Module as unknown as Hooks
const holder = globalThis as unknown as Record<symbol, unknown>

holder[registrar] = (protocol: { prototype: InstrumentableClient }) =>
	void quietly(() => observeAll(protocol.prototype))
if (hooks.registerHooks)
	hooks.registerHooks({ load: (url, context, next) => marked(url, next(url, context)) })
else hookEarlierNode()

/** Observes every server and client that connects from now on. */
function observeAll(prototype: InstrumentableClient): void {
	const connect = prototype.connect
	prototype.connect = function (this: InstrumentableClient, ...given) {
		observeConnecting(this, given[0])
		return Reflect.apply(connect, this, given)
	}
}

/** Node before 22.15 has hooks for `import` only, in a thread of their own. */
function hookEarlierNode(): void {
	hooks.register('./register-hooks.js', import.meta.url)
	const compile = hooks.prototype._compile
	hooks.prototype._compile = function (source, path, ...rest) {
		const text = quietly(() => marked(pathToFileURL(path).href, { source }).source) ?? source
		return Reflect.apply(compile, this, [text, path, ...rest])
	}
}
