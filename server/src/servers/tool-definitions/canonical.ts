import { createHash } from 'node:crypto'
import { isSourceNumber } from '../../platform/exact-numbers.ts'
import { readParts, type ToolDefinition } from './definition.ts'

/** SHA-256, hex, over the canonical form of what is read of a tool: the same for every order of its fields. */
export function hashDefinition(tool: ToolDefinition): string {
	const parts = readParts.filter((part) => tool[part] !== undefined).map((part) => [part, tool[part]])
	return createHash('sha256')
		.update(canonicalJson(Object.fromEntries(parts)))
		.digest('hex')
}

/** JSON with sorted names and no space (RFC 8785), but with numbers as their source wrote them where that is known. */
export function canonicalJson(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
	if (typeof value !== 'object' || value === null || isSourceNumber(value))
		return JSON.stringify(value) ?? 'null'
	const fields = Object.entries(value).filter(([, inner]) => inner !== undefined)
	fields.sort(([a], [b]) => (a < b ? -1 : 1))
	return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`).join(',')}}`
}
