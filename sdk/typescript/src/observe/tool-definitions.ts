import { createHash } from 'node:crypto'
import type { Attributes } from '@opentelemetry/api'
import { isObject, type JsonObject } from './message.ts'

/** The fields of a tool that an agent reads; the platform hashes the same ones. */
const readParts = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const

interface Known {
	hash: string
	tokens: number
}

const maxTools = 10_000

/** The tools of a server as last listed: which definition a call was based on, and how many tokens a model needs to read it. */
export class ToolDefinitions {
	readonly #known = new Map<string, Known>()
	#listed = ''
	#attributes: Attributes = {}

	/** Attributes of the answer to `tools/list`. */
	take(tools: unknown): Attributes {
		if (!Array.isArray(tools)) return {}
		const listed = JSON.stringify(tools)
		if (listed === this.#listed) return this.#attributes
		for (const tool of tools.filter(isObject)) this.#keep(tool)
		this.#listed = listed
		this.#attributes = summaryOf(tools.filter(isObject).map((tool) => this.#of(tool)))
		return this.#attributes
	}

	/** Attributes of a tool call; none before the tool has been listed. */
	of(name: string): Attributes | null {
		const known = this.#known.get(name)
		return known
			? { 'signalbox.tool.definition.hash': known.hash, 'signalbox.tool.definition.tokens': known.tokens }
			: null
	}

	#keep(tool: JsonObject): void {
		if (this.#known.size < maxTools || this.#known.has(String(tool.name)))
			this.#known.set(String(tool.name), { hash: hashOf(tool), tokens: tokensOf(tool) })
	}

	#of(tool: JsonObject): Known {
		return this.#known.get(String(tool.name)) ?? { hash: '', tokens: 0 }
	}
}

function summaryOf(known: readonly Known[]): Attributes {
	const hash = createHash('sha256')
	for (const each of known.map((tool) => tool.hash).sort()) hash.update(each)
	return {
		'signalbox.tools.count': known.length,
		'signalbox.tools.tokens': known.reduce((sum, { tokens }) => sum + tokens, 0),
		'signalbox.tools.hash': hash.digest('hex'),
	}
}

/** SHA-256 in hex over the canonical JSON (RFC 8785) of the fields that an agent reads. */
export function hashOf(tool: JsonObject): string {
	const read = Object.fromEntries(readParts.map((part) => [part, tool[part]]))
	return createHash('sha256').update(canonicalJson(read)).digest('hex')
}

/** An estimate: four characters per token, the average of English and JSON. */
function tokensOf({ name, description, inputSchema }: JsonObject): number {
	return Math.ceil(JSON.stringify({ name, description, input_schema: inputSchema }).length / 4)
}

function canonicalJson(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
	if (!isObject(value)) return JSON.stringify(value) ?? 'null'
	const names = Object.keys(value).filter((name) => value[name] !== undefined)
	return `{${names
		.sort()
		.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`)
		.join(',')}}`
}
