import { encodeHeaderText, isObject } from '../../mcp-client/index.ts'
import { isSourceNumber } from '../../platform/json/parse-json.ts'
import type { ToolDefinition } from '../../servers/servers.ts'

interface ParamHeader {
	name: string
	path: readonly string[]
}

const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/
const known = new WeakMap<ToolDefinition, readonly ParamHeader[]>()

/** The `Mcp-Param-*` headers of a call: arguments that the tool's schema marks with `x-mcp-header`. */
export function paramHeaders(tool: ToolDefinition, values: unknown): Record<string, string> {
	const headers: Record<string, string> = {}
	for (const { name, path } of declaredHeaders(tool)) {
		const text = primitiveText(valueAt(values, path))
		if (text !== null) headers[`mcp-param-${name.toLowerCase()}`] = encodeHeaderText(text)
	}
	return headers
}

/** Whether any argument of a tool is to be repeated in a header. */
export function hasParamHeaders(tool: ToolDefinition): boolean {
	return declaredHeaders(tool).length > 0
}

function declaredHeaders(tool: ToolDefinition): readonly ParamHeader[] {
	const found = known.get(tool)
	if (found) return found
	const declared = collect(tool.inputSchema, [])
	known.set(tool, declared)
	return declared
}

/** Only nested `properties` are searched, where the path of an argument is unambiguous. */
function collect(schema: unknown, path: readonly string[]): ParamHeader[] {
	if (!isObject(schema) || path.length > 16) return []
	const name = schema['x-mcp-header']
	const own = path.length > 0 && typeof name === 'string' && token.test(name) ? [{ name, path }] : []
	if (!isObject(schema.properties)) return own
	return [
		...own,
		...Object.entries(schema.properties).flatMap(([key, inner]) => collect(inner, [...path, key])),
	]
}

function valueAt(values: unknown, path: readonly string[]): unknown {
	let at = values
	for (const key of path) at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
	return at
}

function primitiveText(value: unknown): string | null {
	if (typeof value === 'string') return value
	if (typeof value === 'number' || typeof value === 'boolean' || isSourceNumber(value))
		return JSON.stringify(value)
	return null
}
