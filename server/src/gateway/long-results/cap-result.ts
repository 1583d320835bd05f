import { isObject, type JsonObject } from '../../mcp-client/index.ts'
import { isText, type Page, packPages, sizeOf } from './pack-pages.ts'

/** A result that is too large for one piece. */
export interface CappedResult {
	/** With the first page of its content, and all other fields that can stay. */
	result: JsonObject
	/** The pages after it, in order. */
	rest: Page[]
	wholeBytes: number
}

/**
 * Cuts a result of `tools/call` whose content and structured content have more than `limitBytes` together; null for any
 * other. Structured content cannot be cut: it stays as a whole or goes on as text, once where the text says the same.
 */
export function capResult(result: JsonObject, limitBytes: number): CappedResult | null {
	const { structuredContent, ...plain } = result
	const content = Array.isArray(result.content) ? result.content.filter(isObject) : []
	const structured = structuredContent === undefined ? '' : JSON.stringify(structuredContent)
	const structuredBytes = Buffer.byteLength(structured)
	const wholeBytes = content.reduce((sum, block) => sum + sizeOf(block), structuredBytes)
	if (wholeBytes <= limitBytes) return null
	if (structuredBytes <= limitBytes) {
		const [first, ...rest] = packPages(content, { first: limitBytes - structuredBytes, next: limitBytes })
		return { result: { ...result, content: first?.content ?? [] }, rest, wholeBytes }
	}
	const isTold = content.some((block) => isText(block) && saysTheSame(block.text, structured))
	const blocks = isTold ? content : [...content, { type: 'text', text: structured }]
	const [first, ...rest] = packPages(blocks, { first: limitBytes, next: limitBytes })
	return { result: { ...plain, content: first?.content ?? [] }, rest, wholeBytes }
}

/** Servers repeat structured content as text, for clients that know no other. */
function saysTheSame(text: string, structured: string): boolean {
	try {
		return text === structured || JSON.stringify(JSON.parse(text)) === structured
	} catch {
		return false
	}
}
