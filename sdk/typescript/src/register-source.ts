/** The function through which a module of an MCP SDK registers its class with us. */
export const registrar = Symbol.for('signalbox.sdk.protocol')

/** Files with the class in SDK v1, and in the chunks of SDK v2. */
const files =
	/@modelcontextprotocol\/(?:sdk\/dist\/(?:esm|cjs)\/shared\/protocol\.js|(?:server|client|core)\/dist\/[\w-]+\.[mc]js)$/
const definition = /(?:^|\n)(?:export )?(?:class Protocol|var Protocol = class(?: Protocol)?) \{/
const line = `\n;globalThis[Symbol.for('${registrar.description}')]?.(Protocol);\n`

export interface Loaded {
	source?: unknown
}

/** The source of a module; where it defines the class of servers and clients, with one more line. Other sources are unchanged. */
export function marked<T extends Loaded>(url: string, loaded: T): T {
	if (!files.test(url) || loaded.source === undefined || loaded.source === null) return loaded
	const text =
		typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString()
	return definition.test(text) ? { ...loaded, source: text + line } : loaded
}
