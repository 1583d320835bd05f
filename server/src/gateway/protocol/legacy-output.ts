import { isObject, type JsonObject } from '../../mcp-client/index.ts'
import { numberOf } from '../../platform/json/parse-json.ts'

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => numberOf(value) !== null
const orNone =
	(check: Check): Check =>
	(value) =>
		value === undefined || check(value)
const listOf =
	(check: Check): Check =>
	(value) =>
		Array.isArray(value) && value.every(check)
const oneOf =
	(...words: string[]): Check =>
	(value) =>
		typeof value === 'string' && words.includes(value)
/** An object whose listed fields are valid or absent. */
const fields =
	(checks: Record<string, Check>): Check =>
	(value) =>
		isObject(value) && Object.entries(checks).every(([name, check]) => orNone(check)(value[name]))

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/
const isMoment: Check = (value) => typeof value === 'string' && moment.test(value)
const isShare: Check = (value) => {
	const share = numberOf(value)
	return share !== null && share >= 0 && share <= 1
}
const isFlag: Check = (value) => typeof value === 'boolean'
const isIcon: Check = (value) =>
	fields({ src: isText, mimeType: isText, sizes: listOf(isText), theme: oneOf('light', 'dark') })(value) &&
	isText((value as JsonObject).src)

const common = { title: isText, description: isText, icons: listOf(isIcon), _meta: isObject }
const ofContent = {
	...common,
	mimeType: isText,
	annotations: fields({
		...{ audience: listOf(oneOf('user', 'assistant')), priority: isShare, lastModified: isMoment },
	}),
}
const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']
type Kind = 'tools' | 'prompts' | 'resources' | 'templates' | 'introductions'
/** The optional fields of list items and of what a server says of itself, and the check of each. */
const optional: Record<Kind, Record<string, Check>> = {
	tools: {
		...common,
		outputSchema: isObject,
		annotations: fields({ title: isText, ...Object.fromEntries(hints.map((hint) => [hint, isFlag])) }),
		execution: fields({ taskSupport: oneOf('forbidden', 'optional', 'required') }),
	},
	prompts: {
		...common,
		arguments: listOf(
			(value) =>
				fields({ description: isText, required: isFlag })(value) && isText((value as JsonObject).name),
		),
	},
	resources: { ...ofContent, size: isNumber },
	templates: ofContent,
	introductions: { ...common, version: isText, websiteUrl: isText },
}

/**
 * Makes a list item readable for every client. The official clients refuse a whole list for one malformed item, so one server
 * could hide all others. Members that are `null` and malformed optional fields are removed.
 */
export function fitItem(kind: Kind, item: JsonObject): JsonObject {
	const wrong = Object.entries(optional[kind]).filter(
		([name, check]) => item[name] !== undefined && !check(item[name]),
	)
	if (wrong.length === 0) return item
	const fit = { ...item }
	for (const [name, check] of wrong) {
		const value = withoutNulls(item[name])
		if (check(value)) fit[name] = value
		else delete fit[name]
	}
	return fit
}

/** Some serialisers write every absent member as null. */
function withoutNulls(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withoutNulls)
	if (!isObject(value)) return value
	const members = Object.entries(value).filter(([, member]) => member !== null)
	return mapValues(Object.fromEntries(members), withoutNulls)
}

/** The same for a tool. Its arguments are an object, whatever its schema says. */
export function fitTool<T extends JsonObject>(tool: T): T {
	const fit = fitItem('tools', tool) as T
	const { inputSchema } = fit
	if (isFit(inputSchema)) return fit
	return { ...fit, inputSchema: fitSchema(isObject(inputSchema) ? inputSchema : {}) }
}

function isFit(schema: unknown): boolean {
	if (!isObject(schema) || schema.type !== 'object') return false
	const { properties, required } = schema
	const areObjects = isObject(properties)
		? Object.values(properties).every(isObject)
		: properties === undefined
	return areObjects && orNone(listOf(isText))(required)
}

function fitSchema({ properties, required, ...schema }: JsonObject): JsonObject {
	const names = Array.isArray(required) ? required.filter(isText) : []
	return {
		...schema,
		type: 'object',
		...(isObject(properties) && { properties: mapValues(properties, asObject) }),
		...(names.length > 0 && { required: names }),
	}
}

/** A schema may be `true` or `false`; the protocol requires an equivalent object. */
function asObject(schema: unknown): JsonObject {
	if (isObject(schema)) return schema
	return schema === false ? { not: {} } : {}
}

function mapValues(values: JsonObject, change: (value: unknown) => unknown): JsonObject {
	return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}

/** Keywords with which a schema refers to places in itself. These change when the schema is wrapped. */
const places = /"\$(ref|dynamicRef|recursiveRef|id|anchor|dynamicAnchor)"/

/** Whether an output schema declares something other than an object, which is possible since 2026-07-28 only. */
export function hasOtherRoot(schema: unknown): schema is JsonObject {
	return isObject(schema) && schema.type !== 'object'
}

/** Wraps such a schema for a legacy client, as the official SDKs do (SEP-2106). Null if it cannot be wrapped. */
export function legacyOutputSchema(schema: JsonObject): JsonObject | null {
	if (places.test(JSON.stringify(schema))) return null
	const dialect = typeof schema.$schema === 'string' && { $schema: schema.$schema }
	return { ...dialect, type: 'object', properties: { result: schema }, required: ['result'] }
}

/** Converts a tool result for a legacy client: structured content must be an object, and is repeated as text. */
export function legacyResult(result: JsonObject, outputSchema: unknown): JsonObject {
	const { structuredContent, ...plain } = result
	if (structuredContent === undefined) return result
	if (structuredContent === null && outputSchema === undefined) return plain
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
