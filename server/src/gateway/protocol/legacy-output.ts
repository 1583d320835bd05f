import { isObject, isRawNumber, type JsonObject } from '../../mcp-client/index.ts'

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number' || isRawNumber(value)
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
/** An object whose fields pass, where it has them. */
const fields =
	(checks: Record<string, Check>): Check =>
	(value) =>
		isObject(value) && Object.entries(checks).every(([name, check]) => orNone(check)(value[name]))

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/
const isMoment: Check = (value) => typeof value === 'string' && moment.test(value)
const isShare: Check = (value) =>
	isRawNumber(value) || (typeof value === 'number' && value >= 0 && value <= 1)
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
/** The optional fields of what servers list, and what they have to be. */
const optional: Record<'tools' | 'prompts' | 'resources' | 'templates', Record<string, Check>> = {
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
}

/**
 * An item of a list as every client can read it: the official ones refuse a whole list for one item that is not of the
 * protocol's form, so that one server would take all others away. Fields of another form, `null` among them, are left out.
 */
export function fitItem(kind: keyof typeof optional, item: JsonObject): JsonObject {
	const wrong = Object.entries(optional[kind]).filter(
		([name, check]) => item[name] !== undefined && !check(item[name]),
	)
	if (wrong.length === 0) return item
	const names = new Set(wrong.map(([name]) => name))
	return Object.fromEntries(Object.entries(item).filter(([name]) => !names.has(name)))
}

/** The same of a tool, whose arguments are an object whatever its schema says. */
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

/** A schema may be `true` or `false`; the protocol wants objects that say the same. */
function asObject(schema: unknown): JsonObject {
	if (isObject(schema)) return schema
	return schema === false ? { not: {} } : {}
}

function mapValues(values: JsonObject, change: (value: unknown) => unknown): JsonObject {
	return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
}

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
