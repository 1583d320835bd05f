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
