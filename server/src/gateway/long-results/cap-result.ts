import { isObject, type JsonObject } from '../../mcp-client/index.ts'

/** Blocks of a result's content that form one page. */
export interface Page {
	content: JsonObject[]
	bytes: number
}

interface TextBlock extends JsonObject {
	type: 'text'
	text: string
}

export function isText(block: JsonObject): block is TextBlock {
	return block.type === 'text' && typeof block.text === 'string'
}

/** The size of a block: UTF-8 bytes for text, characters for base64, and the length of the JSON for others. */
export function sizeOf(block: JsonObject): number {
	const text = textOf(block)
	if (text !== null) return Buffer.byteLength(text)
	const { data } = block
	const blob = isObject(block.resource) ? block.resource.blob : undefined
	const encoded = typeof data === 'string' ? data : blob
	return typeof encoded === 'string' ? encoded.length : Buffer.byteLength(JSON.stringify(block))
}

/**
 * Distributes blocks over pages of at most `next` bytes, the first of at most `first`. Text is cut, at the end of a line if one
 * is near. Anything else stays whole; if it is larger than a page, one line names it instead.
 */
export function packPages(
	blocks: readonly JsonObject[],
	{ first, next }: { first: number; next: number },
): Page[] {
	let page: Page = { content: [], bytes: 0 }
	let room = first
	const pages = [page]
	const turn = () => {
		page = { content: [], bytes: 0 }
		pages.push(page)
		room = next
	}
	const put = (block: JsonObject, bytes: number) => {
		page.content.push(block)
		page.bytes += bytes
		room -= bytes
	}
	for (const given of blocks) {
		const block = textOf(given) === null && sizeOf(given) > next ? leftOut(given) : given
		const bytes = sizeOf(block)
		const text = textOf(block)
		if (bytes <= room) put(block, bytes)
		else if (text !== null)
			cutText(
				Buffer.from(text),
				() => room,
				turn,
				(part, size) => put(withText(block, part), size),
			)
		else {
			turn()
			put(block, bytes)
		}
	}
	return pages
}

function cutText(
	text: Buffer,
	room: () => number,
	turn: () => void,
	put: (part: string, bytes: number) => void,
): void {
	for (let from = 0; from < text.length; ) {
		const to = endOfPart(text, from, room())
		if (to > from) put(text.toString('utf8', from, to), to - from)
		from = to
		if (from < text.length) turn()
	}
}

/** Never cuts within a character. Cuts after a line break if there is one in the last quarter of the space. */
function endOfPart(text: Buffer, from: number, room: number): number {
	let end = from + room
	if (end >= text.length) return text.length
	while (end > from && ((text[end] ?? 0) & 0xc0) === 0x80) end -= 1
	// Before the text, `lastIndexOf` would count from its end.
	if (end === from) return from
	const line = text.lastIndexOf('\n', end - 1)
	return line >= from + room * 0.75 ? line + 1 : end
}

function textOf(block: JsonObject): string | null {
	if (isText(block)) return block.text
	const { resource } = block
	return isObject(resource) && typeof resource.text === 'string' ? resource.text : null
}

function withText(block: JsonObject, text: string): JsonObject {
	return isText(block)
		? { ...block, text }
		: { ...block, resource: { ...(block.resource as JsonObject), text } }
}

function leftOut(block: JsonObject): JsonObject {
	const { type, mimeType, resource } = block
	const kind = mimeType ?? (isObject(resource) ? resource.mimeType : undefined) ?? type
	const name = typeof kind === 'string' ? kind.slice(0, 100).toWellFormed() : 'a block'
	return {
		type: 'text',
		text: `[${name}, ${sizeOf(block)} bytes, is left out: it is larger than a result may be.]`,
	}
}

/** A result that is too large to be sent at once. */
export interface CappedResult {
	/** The first page of its content, with all other fields that can stay. */
	result: JsonObject
	/** The pages after it, in order. */
	rest: Page[]
	wholeBytes: number
}

/**
 * Cuts a result of `tools/call` whose content and structured content together exceed `limitBytes`; null for any other. Structured
 * content cannot be cut: it stays whole or continues as text, only once if the text repeats it.
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
	const isInText = content.some((block) => isText(block) && saysTheSame(block.text, structured))
	const blocks = isInText ? content : [...content, { type: 'text', text: structured }]
	const [first, ...rest] = packPages(blocks, { first: limitBytes, next: limitBytes })
	return { result: { ...plain, content: first?.content ?? [] }, rest, wholeBytes }
}

/** Servers repeat structured content as text for clients that do not support it. */
function saysTheSame(text: string, structured: string): boolean {
	try {
		return text === structured || JSON.stringify(JSON.parse(text)) === structured
	} catch {
		return false
	}
}
