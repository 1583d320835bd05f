import { isObject, type JsonObject, RpcFailure, rpcCodes } from '../../mcp-client/index.ts'
import { noteFact, type Operation } from '../operation.ts'
import type { Plan, PlanResult } from './plan.ts'

/** A longer answer of a failed call says more than which arguments were wrong. */
const readBytes = 64 * 1024
const mostNames = 20
const plainName = /^[\w$.-]{1,64}$/

/** What validators say: `-32602`, and the words of the MCP SDKs, zod, pydantic, ajv and jsonschema. */
const isValidation =
	/-32602|invalid[ _-]?(?:tool )?(?:input|arguments?|params|parameters)|validation error|must have required|is a required property|missing (?:a )?required/i
/** Where they name an argument: a path of zod, a line of pydantic, a pointer of ajv, or in quotation marks. Bounded, so that no text takes long. */
const mentions = [
	/"path":\s{0,8}\[\s{0,40}"([^"]{1,64})"/g,
	/^([A-Za-z_$][\w$-]{0,63})(?:\.[\w$.-]{1,200})?\n {2}\S/gm,
	/(?:^|[\s:])(?:data|arguments)?[./]([A-Za-z_$][\w$-]{0,63})(?:[./][\w$./-]{0,200})? (?:must|should|is)\b/g,
	/["'`]([A-Za-z_$][\w$-]{0,63})["'`]/g,
]

/** Notes which arguments the server of a tool refused, if that is why the call failed. */
export function noteInvalidArguments(
	operation: Operation,
	plan: Plan,
	outcome: PlanResult | RpcFailure,
): void {
	if (!plan.server || plan.tool === '' || !operation.sending.isSent) return
	const given = plan.arguments ?? operation.request.params.arguments
	const names = invalidArguments(plan, isObject(given) ? given : {}, outcome)
	if (names !== null) noteFact(operation, 'signalbox.invalid_arguments', names)
}

/**
 * From what a server says of a failed call: names only, and none but those of the tool's schema or of the call, separated by
 * commas. '' when it does not say which; null when the call failed for another reason.
 */
function invalidArguments(plan: Plan, given: JsonObject, outcome: PlanResult | RpcFailure): string | null {
	const text = outcome instanceof RpcFailure ? textOfFailure(outcome) : textOfResult(outcome)
	if (!isValidation.test(text)) return null
	const known = namesOf(plan, given)
	const named = mentions.flatMap((form) => [...text.matchAll(form)].map(([, name]) => name as string))
	return [...new Set(named)]
		.filter((name) => known.has(name))
		.slice(0, mostNames)
		.join(',')
}

function textOfFailure({ code, message }: RpcFailure): string {
	return code === rpcCodes.invalidParams ? `${code} ${message.slice(0, readBytes)}` : ''
}

function textOfResult({ isError, json }: PlanResult): string {
	if (!isError || json.length > readBytes) return ''
	const { content } = JSON.parse(json) as JsonObject
	if (!Array.isArray(content)) return ''
	return content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('\n')
}

function namesOf({ server, tool }: Plan, given: JsonObject): Set<string> {
	const schema = server?.tools.find(({ name }) => name === tool)?.inputSchema
	const properties = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
	return new Set([...Object.keys(properties), ...Object.keys(given)].filter((name) => plainName.test(name)))
}
