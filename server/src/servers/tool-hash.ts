import { createHash } from 'node:crypto'
import type { ToolDefinition } from './server-entry.ts'

/** SHA-256 over the canonical definition, hex: the same for every order of its fields. */
export function hashTool(tool: ToolDefinition): string {
	return createHash('sha256').update(canonicalJson(tool)).digest('hex')
}

/** JSON with sorted names and no space (RFC 8785). */
export function canonicalJson(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
	if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
	const fields = Object.entries(value).filter(([, inner]) => inner !== undefined)
	fields.sort(([a], [b]) => (a < b ? -1 : 1))
	return `{${fields.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`).join(',')}}`
}
