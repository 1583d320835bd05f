/** A part of a message, independent of the provider or library that recorded it. */
export type Block =
	| { type: 'text'; text: string; isThought?: true }
	| { type: 'image'; source: string | null; description: string }
	| { type: 'tool_call'; name: string; arguments: unknown }
	| { type: 'tool_result'; name: string; content: Block[] }
	| { type: 'json'; value: unknown }

type Json = Record<string, unknown>

/** The blocks in the JSON of a message. Truncated text is no longer valid JSON, and is shown as far as it goes. */
export function toBlocks(json: string): Block[] {
	const value = parse(json)
	if (value === undefined) return cutText(json)
	const blocks = blocksOf(value)
	return blocks.length > 0 ? blocks : [{ type: 'json', value }]
}

/** Undefined if the text is not JSON. */
export function parse(json: string): unknown {
	try {
		return JSON.parse(json)
	} catch {
		return undefined
	}
}

/** For truncated JSON: its longest text, without JSON syntax. */
function cutText(json: string): Block[] {
	if (!/^\s*[[{"]/.test(json)) return [{ type: 'text', text: json }]
	const texts = json.match(/"(?:text|content)"\s*:\s*"((?:[^"\\]|\\.)*)/g) ?? []
	const longest = texts.reduce((most, one) => (one.length > most.length ? one : most), '')
	const text = parse(`${longest.slice(longest.indexOf(':') + 1).trim()}"`)
	return [{ type: 'text', text: typeof text === 'string' && text !== '' ? text : json }]
}

/** Where providers store the content, in the order in which it is searched. */
const places = [
	'content',
	'parts',
	'text',
	'output_text',
	'output',
	'result',
	'response',
	'choices',
	'message',
]

function blocksOf(value: unknown): Block[] {
	if (typeof value === 'string') return value === '' ? [] : [textOrJson(value)]
	if (Array.isArray(value)) return value.flatMap(blocksOf)
	if (typeof value !== 'object' || value === null) return []
	const part = value as Json
	return typedBlocks(part) ?? placedBlocks(part)
}

/** JSON in a text is shown as such; a number or a quoted word stays text. */
function textOrJson(text: string): Block {
	const value = /^\s*[[{]/.test(text) ? parse(text) : undefined
	return value === undefined ? { type: 'text', text } : { type: 'json', value }
}

const callTypes: readonly unknown[] = ['tool_use', 'function_call', 'tool_call', 'tool-call']
const resultTypes: readonly unknown[] = [
	'tool_result',
	'function_call_output',
	'tool_call_response',
	'tool-result',
]
const thoughtTypes: readonly unknown[] = ['thinking', 'reasoning']

/** The blocks of a part with a type; null if it has none. */
function typedBlocks(part: Json): Block[] | null {
	const { type } = part
	if (callTypes.includes(type)) return [callOf(part)]
	if (part.functionCall) return [callOf(part.functionCall as Json)]
	if (resultTypes.includes(type)) return [resultOf(part)]
	if (part.functionResponse) return [resultOf(part.functionResponse as Json)]
	const image = imageOf(part)
	if (image) return [image]
	if (thoughtTypes.includes(type)) {
		const texts = blocksOf(part.thinking ?? part.text ?? part.content ?? part.summary)
		return texts.map((block) => (block.type === 'text' ? { ...block, isThought: true as const } : block))
	}
	if (part.role === 'tool' && part.tool_calls === undefined) return [resultOf(part)]
	return null
}

function callOf(part: Json): Block {
	const {
		function: called,
		name,
		toolName,
		input,
		args,
		arguments: given,
		tool_name,
	} = part as {
		function?: Json
	} & Json
	const asked = called?.arguments ?? given ?? input ?? args ?? {}
	const parsed = typeof asked === 'string' ? (parse(asked) ?? asked) : asked
	return {
		type: 'tool_call',
		name: String(called?.name ?? name ?? toolName ?? tool_name ?? 'tool'),
		arguments: parsed,
	}
}

function resultOf(part: Json): Block {
	const { content, output, result, response, name, toolName } = part
	const found = content ?? output ?? result ?? response
	const blocks = blocksOf(found)
	return {
		type: 'tool_result',
		name: String(name ?? toolName ?? ''),
		content: blocks.length > 0 || found === undefined ? blocks : [{ type: 'json', value: found }],
	}
}

const imageTypes: readonly unknown[] = ['image', 'image_url', 'input_image']
const shownImages = /^data:image\/(png|jpeg|gif|webp);base64,/

/** Only images inside the message are shown: an address is shown as text, never fetched. */
function imageOf(part: Json): Block | null {
	const { type, source, image_url, inlineData, data, mimeType, mediaType, mime_type, image, content, uri } =
		part as Record<string, never>
	const inline = (inlineData ?? source) as Json | undefined
	const mime = String(inline?.media_type ?? inline?.mimeType ?? mimeType ?? mediaType ?? mime_type ?? '')
	// Parts that the GenAI conventions (`blob`, `uri`) and the Vercel AI SDK (`file`) name so may be any kind of file.
	const isFile = type === 'blob' || type === 'uri' || type === 'file'
	if (
		!imageTypes.includes(type) &&
		!inlineData &&
		!(isFile && (mime.startsWith('image/') || part.modality === 'image'))
	)
		return null
	const base64 = inline?.data ?? data ?? (type === 'blob' ? content : undefined)
	const url = String(
		base64
			? `data:${mime};base64,${base64}`
			: ((image_url as Json | undefined)?.url ?? image_url ?? inline?.url ?? uri ?? image ?? ''),
	)
	return {
		type: 'image',
		source: shownImages.test(url) ? url : null,
		description: url.startsWith('data:') ? mime || 'image' : url.slice(0, 200) || 'image',
	}
}

function placedBlocks(part: Json): Block[] {
	const found = places.map((place) => blocksOf(part[place])).find((blocks) => blocks.length > 0) ?? []
	const calls = Array.isArray(part.tool_calls) ? (part.tool_calls as Json[]).map(callOf) : []
	return [...found, ...calls]
}

/** The text of blocks, for copying, searching and comparing; arguments of tool calls are on one line unless an indent is given. */
export function textOf(blocks: readonly Block[], indent = 0): string {
	return blocks
		.map((block) => {
			if (block.type === 'text') return block.text
			if (block.type === 'image') return `[${block.description}]`
			if (block.type === 'tool_call') return `${block.name}(${JSON.stringify(block.arguments, null, indent)})`
			return block.type === 'json' ? JSON.stringify(block.value, null, 2) : textOf(block.content, indent)
		})
		.join('\n')
}
