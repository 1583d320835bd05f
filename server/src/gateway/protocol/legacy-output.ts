import { isObject, type JsonObject } from '../../mcp-client/index.ts'

/** Words by which a schema speaks of places in itself, which are others once it is wrapped. */
const places = /"\$(ref|dynamicRef|recursiveRef|id|anchor|dynamicAnchor)"/

/** Whether an output schema is of another form than an object, which there is since 2026-07-28 only. */
export function hasOtherRoot(schema: unknown): schema is JsonObject {
	return isObject(schema) && schema.type !== 'object'
}

/** Such a schema for a legacy client, in the way of the official kits (SEP-2106); null where it cannot be wrapped. */
export function legacyOutputSchema(schema: JsonObject): JsonObject | null {
	if (places.test(JSON.stringify(schema))) return null
	const dialect = typeof schema.$schema === 'string' && { $schema: schema.$schema }
	return { ...dialect, type: 'object', properties: { result: schema }, required: ['result'] }
}

/** A result of a tool for a legacy client: structured content is an object there, and text says the same. */
export function legacyResult(result: JsonObject, outputSchema: unknown): JsonObject {
	const { structuredContent } = result
	if (structuredContent === undefined) return result
	const isWrapped = hasOtherRoot(outputSchema) && legacyOutputSchema(outputSchema) !== null
	if (isObject(structuredContent) && !isWrapped) return result
	const content = Array.isArray(result.content) ? result.content : []
	const hasText = content.some((block) => isObject(block) && block.type === 'text')
	const text = { type: 'text', text: JSON.stringify(structuredContent) }
	return {
		...result,
		content: hasText ? content : [...content, text],
		structuredContent: { result: structuredContent },
	}
}
