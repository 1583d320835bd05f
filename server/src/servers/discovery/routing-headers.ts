import { isObject } from '../../mcp-client/index.ts'
import type { ToolDefinition } from '../server-entry.ts'

const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/
const mirrored: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])
const depthMax = 16

/**
 * Whether the arguments that a tool wants mirrored in headers (`x-mcp-header`) can be: single values under names that are
 * header tokens, each once. Other tools must not be offered (2026-07-28): a router would read what the server does not mean.
 */
export function hasSoundHeaders({ inputSchema }: ToolDefinition): boolean {
	const declared = [...declarations(inputSchema, depthMax)]
	const names = new Set(declared.map(({ name }) => String(name).toLowerCase()))
	return names.size === declared.length && declared.every(isSound)
}

interface Declaration {
	name: unknown
	type: unknown
}

function isSound({ name, type }: Declaration): boolean {
	return typeof name === 'string' && token.test(name) && isMirrored(type)
}

function isMirrored(type: unknown): boolean {
	if (!Array.isArray(type)) return mirrored.has(type)
	const present = type.filter((each) => each !== 'null')
	return present.length > 0 && present.every((each) => mirrored.has(each))
}

function* declarations(schema: unknown, depth: number): Generator<Declaration> {
	if (!isObject(schema) || depth === 0 || !isObject(schema.properties)) return
	for (const inner of Object.values(schema.properties)) {
		if (isObject(inner) && 'x-mcp-header' in inner) yield { name: inner['x-mcp-header'], type: inner.type }
		yield* declarations(inner, depth - 1)
	}
}
