import { isObject } from '../../mcp-client/index.ts'
import type { ToolDefinition } from '../server-entry.ts'
import { UpstreamFailure } from './upstream-failure.ts'

/** Limit for one response, and for all definitions together. */
export const answerMaxBytes = 8 * 1024 * 1024
const maxPages = 100
const maxTools = 2000
const maxName = 256
const maxDepth = 64

/** Requests one page of tools: `tools/list` with these parameters. */
export type AskPage = (params: { cursor?: string }) => Promise<Record<string, unknown>>

/** Reads all pages of `tools/list`, within limits. Invalid definitions are omitted; of duplicate names the first is kept. */
export async function listAllTools(askPage: AskPage): Promise<ToolDefinition[]> {
	const tools = new Map<string, ToolDefinition>()
	let cursor: string | undefined
	let size = 0
	for (let page = 0; page < maxPages; page += 1) {
		const result = await askPage(cursor === undefined ? {} : { cursor })
		for (const tool of Array.isArray(result.tools) ? result.tools : []) {
			if (!isToolDefinition(tool) || tools.has(tool.name)) continue
			size += JSON.stringify(tool).length
			tools.set(tool.name, tool)
		}
		if (tools.size > maxTools) throw new UpstreamFailure(`It has more than ${maxTools} tools.`)
		if (size > answerMaxBytes) throw new UpstreamFailure(`Its tools are larger than ${answerMaxBytes} bytes.`)
		const next = result.nextCursor
		if (typeof next !== 'string' || next === cursor) return [...tools.values()]
		cursor = next
	}
	throw new UpstreamFailure(`Its list of tools has more than ${maxPages} pages.`)
}

function isToolDefinition(value: unknown): value is ToolDefinition {
	if (!isObject(value) || typeof value.name !== 'string') return false
	const { name } = value
	return (
		name.length > 0 &&
		name.length <= maxName &&
		name.isWellFormed() &&
		!name.includes('\0') &&
		isShallow(value, maxDepth)
	)
}

function isShallow(value: unknown, depth: number): boolean {
	if (typeof value !== 'object' || value === null) return true
	return depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1))
}

const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/
const mirrored: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])
const maxSchemaDepth = 16

/**
 * Whether the arguments that a tool wants mirrored in headers (`x-mcp-header`) are valid: scalar values under unique names that are
 * header tokens. Other tools must not be offered (2026-07-28), because a router could read something that the server does not mean.
 */
export function hasSoundHeaders({ inputSchema }: ToolDefinition): boolean {
	const declared = [...declarations(inputSchema, maxSchemaDepth)]
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
