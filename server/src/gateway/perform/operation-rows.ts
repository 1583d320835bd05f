import type { SpanStatus } from '@signalbox/contract'
import { hashOfArguments, hashOfParsed } from '../../platform/arguments-hash.ts'
import { mayBeInexact, parseExactNumbers } from '../../platform/json/parse-json.ts'
import { redact, redactedStart } from '../../platform/redaction/redact.ts'
import {
	type AttributeValue,
	type LoggedCall,
	newSpanRow,
	type RowSink,
	type RowsOfKind,
	type RuleSet,
	redactCall,
	releaseAttribute,
	type SpanRow,
} from '../../telemetry/call-rows/index.ts'

// Builds the rows of operations from what they left in the log. Runs in the row-building thread.

/** What all calls of one caller under one plan share. */
export interface AboutPlan {
	method: string
	/** '' if there is none. */
	tool: string
	/** Whether it is a call of a tool. */
	isTool: boolean
	agentId: string
	agentName: string
	serverId: string
	serverName: string
	address: { host: string; port: number } | null
	release: string
	credentialId: string
	userId: string
	/** The version of Signalbox. */
	version: string
	capturesArguments: boolean
}

export interface AboutClient {
	protocolVersion: string
	sessionLabel: string
	client: string
}

/** About one call. A tuple, because there are many and field names would take space. */
export type AboutCall = [
	traceId: string,
	spanId: string,
	parentSpanId: string,
	traceState: string,
	flags: number,
	startNs: string,
	requestBytes: number,
	clientAddress: string,
	requestId: string,
	toolUse: string,
	conversation: string,
	/** The name of a prompt, or the URI of a resource. */
	target: string,
	/** Why the arguments are missing. */
	noArguments: '' | 'number' | 'size',
	/** Whether the call is replayed with the times of another day. */
	isReplayed: boolean,
]

export interface FailureFacts {
	/** Null where the client was sent no error, because it had cancelled the call. */
	code: number | null
	message: string
	errorType: string
}

export interface EndedFacts {
	durationNs: number
	responseBytes: number
	status: SpanStatus
	failure?: FailureFacts
	capturesResult?: true
	/** The length of a result that is kept only in part. */
	resultChars?: number
	beganTask?: true
	/** Attributes that became known while it ran; an integer is in an object. */
	facts?: [name: string, value: unknown][]
	/** For a call that may have failed because of its arguments: their names, and those in the tool's schema. */
	names?: string[]
}

interface Rules {
	retentionDays: number
	rules: RuleSet | undefined
}

type Attributes = Map<string, AttributeValue>
type Draft = SpanRow & { attributes: Attributes }

/** Longer arguments are not recorded, and of a longer result only the beginning. */
export const recordedMaxChars = 16_384
export const statusMaxChars = 1024
/** Larger requests are not hashed. */
const maxHashedBytes = 64 * 1024

export function createRows(): RowsOfKind {
	return { make: makeRow }
}

function makeRow({ workspaceId, announced, ended, bare }: LoggedCall, given: unknown, rows: RowSink): void {
	const { retentionDays, rules } = given as Rules
	const [about, client, call, values] = partsOf(announced, 4) as [string, string, string, string]
	const of = parsedOnce(about) as AboutPlan
	const facts = JSON.parse(call) as AboutCall
	const draft = draftRow(workspaceId, of, parsedOnce(client) as AboutClient, facts, bare ? '' : values)
	const row = ended === null ? draft : endedRow(draft, ended, bare)
	row.retentionDays = retentionDays
	rows.span(redactCall(row, rules))
}

/** A cache of parsed facts that many calls share, by their text. The values must not be changed. */
const parsed = new Map<string, unknown>()
const maxParsed = 256

function parsedOnce(text: string): unknown {
	const known = parsed.get(text)
	if (known !== undefined) return known
	const value: unknown = JSON.parse(text)
	if (parsed.size >= maxParsed) parsed.clear()
	parsed.set(text, value)
	return value
}

/** Splits what `joined` has joined. */
export function partsOf(bytes: Uint8Array, count: number): string[] {
	const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
	const parts: string[] = []
	let at = 0
	for (let left = count - 1; left > 0; left -= 1) {
		const end = at + 4 + all.readUInt32LE(at)
		parts.push(all.toString('utf8', at + 4, end))
		at = end
	}
	parts.push(all.toString('utf8', at))
	return parts
}

/** The row of an operation that has begun and has no outcome, which counts as interrupted. */
function draftRow(
	workspaceId: string,
	about: AboutPlan,
	client: AboutClient,
	call: AboutCall,
	values: string,
): Draft {
	const [traceId, spanId, parentSpanId, traceState, flags, startNs, requestBytes] = call
	const { method, tool } = about
	const target = tool || (method === 'prompts/get' ? call[11] : '')
	const row = newSpanRow({
		...{ workspaceId, traceId, spanId, startNs: BigInt(startNs) },
		name: target ? `${method} ${target}` : method,
		source: 'gateway',
		kind: about.isTool ? 'tool_call' : 'mcp',
	})
	// Assigned one by one: see `outcomeRow` of model calls.
	row.parentSpanId = parentSpanId
	row.traceState = traceState
	row.flags = flags
	row.requestBytes = requestBytes
	row.otlpKind = 2
	row.status = 'interrupted'
	row.serviceName = 'signalbox'
	row.scopeName = 'signalbox.gateway'
	row.scopeVersion = about.version
	row.agentId = about.agentId
	row.agentName = about.agentName
	row.serverId = about.serverId
	row.serverName = about.serverName
	row.toolName = tool
	row.mcpMethod = method
	row.credentialId = about.credentialId
	row.userId = about.userId
	row.sessionId = call[10] || client.sessionLabel
	row.client = client.client
	return Object.assign(row, { attributes: draftAttributes(workspaceId, about, client, call, values) })
}

/** The attributes of an operation's span, by the OpenTelemetry semantic conventions for MCP. */
function draftAttributes(
	workspaceId: string,
	{ method, tool, address, release, capturesArguments }: AboutPlan,
	{ protocolVersion, sessionLabel }: AboutClient,
	call: AboutCall,
	values: string,
): Attributes {
	const attributes: Attributes = new Map<string, AttributeValue>()
	const set = (name: string, value: string) => {
		if (value) attributes.set(name, value)
	}
	attributes.set('mcp.method.name', method)
	attributes.set('mcp.protocol.version', protocolVersion)
	attributes.set('jsonrpc.request.id', call[8])
	attributes.set('network.transport', 'tcp').set('network.protocol.name', 'http')
	set('mcp.session.id', sessionLabel)
	set('client.address', call[7])
	if (address) attributes.set('server.address', address.host).set('server.port', BigInt(address.port))
	set(releaseAttribute, release)
	if (tool) attributes.set('gen_ai.tool.name', tool).set('gen_ai.operation.name', 'execute_tool')
	else set(method === 'prompts/get' ? 'gen_ai.prompt.name' : 'mcp.resource.uri', call[11])
	set('gen_ai.tool.call.id', call[9])
	set('gen_ai.conversation.id', call[10])
	if (call[13]) attributes.set('signalbox.demo', true)
	if (!tool) return attributes
	if (values !== '') addArguments(attributes, values, capturesArguments, workspaceId)
	else if (capturesArguments) set('signalbox.arguments_omitted', call[12])
	return attributes
}

/**
 * Adds the hash of a call's arguments, which links the call to the model's request for it, and the redacted arguments or a note
 * why they are missing. Arguments are never truncated: the simulator would decide about a different call. It treats redacted ones
 * as not recorded.
 */
function addArguments(attributes: Attributes, text: string, isCaptured: boolean, workspaceId: string): void {
	const values = parseExactNumbers(text)
	const json = JSON.stringify(values ?? {})
	const bytes = Buffer.byteLength(json)
	if (bytes <= maxHashedBytes) {
		// The hash uses numbers as JavaScript represents them.
		const hash = mayBeInexact(text)
			? hashOfArguments(json, workspaceId)
			: hashOfParsed(values ?? {}, workspaceId)
		if (hash) attributes.set('signalbox.arguments_hash', hash)
	}
	if (!isCaptured || typeof values !== 'object' || values === null || Array.isArray(values)) return
	if (bytes > recordedMaxChars) return void attributes.set('signalbox.arguments_omitted', 'size')
	const { text: kept, found } = redact(json)
	if (found.size === 0) return void attributes.set('gen_ai.tool.call.arguments', json)
	// A match without a definite end, such as a truncated key, is redacted to the end of the text.
	if (parsedOrNull(kept) !== null) attributes.set('gen_ai.tool.call.arguments', kept)
	else attributes.set('signalbox.arguments_omitted', 'private')
	attributes.set('signalbox.redacted', [...found.keys()])
}

/** The same row with its outcome, and the facts found while it ran. */
function endedRow(draft: Draft, ended: Buffer, bare: boolean): SpanRow {
	const [facts, result] = partsOf(ended, 2) as [string, string]
	const end = JSON.parse(facts) as EndedFacts
	const { status, failure, names } = end
	// The attributes belong to this call alone and may be extended.
	const { attributes } = draft
	const row = draft
	row.durationNs = BigInt(end.durationNs)
	row.status = status
	row.responseBytes = end.responseBytes
	if (end.beganTask) row.kind = 'mcp'
	for (const [name, value] of end.facts ?? []) attributes.set(name, unpacked(value))
	row.sessionId ||= String(attributes.get('mcp.session.id') ?? '')
	const isToolError = status === 'error' && !failure
	if (names) {
		const texts = bare || end.resultChars !== undefined ? [] : contentOf(result || '{}')
		// The code counts as a word, because many servers put it into their texts.
		const text = failure ? `${failure.code} ${failure.message}` : texts.join('\n')
		const invalid = invalidArguments(text, names)
		if (invalid !== null) attributes.set('signalbox.invalid_arguments', invalid)
	}
	if (failure) {
		const { code, errorType, message } = failure
		attributes.set('error.type', errorType)
		row.errorType = errorType
		row.statusMessage = statusText(message)
		if (code === null) return row
		attributes.set('rpc.response.status_code', String(code))
		row.rpcCode = Math.max(-(2 ** 31), Math.min(2 ** 31 - 1, code))
		return row
	}
	if (end.capturesResult && !bare) addResult(row, attributes, result, end.resultChars)
	if (end.capturesResult && isToolError && !bare) row.statusMessage = firstText(result)
	if (isToolError) {
		row.errorType = 'tool_error'
		attributes.set('error.type', 'tool_error')
	}
	return row
}

/** Adds the redacted result of a call; of a longer one only the beginning, with a note. */
function addResult(
	row: SpanRow,
	attributes: Attributes,
	result: string,
	resultChars: number | undefined,
): void {
	const whole = resultChars === undefined ? JSON.stringify(parseExactNumbers(result)) : result
	const chars = resultChars ?? whole.length
	const isCut = chars > recordedMaxChars
	attributes.set('gen_ai.tool.call.result', redactedStart(whole, recordedMaxChars))
	if (isCut) attributes.set('signalbox.result_cut', BigInt(chars))
	row.attributes = attributes
}

/** The error message of a failed tool: the first text in its content, or the beginning of that. */
function firstText(result: string): string {
	if (result.length > recordedMaxChars) return ''
	return statusText(contentOf(result)[0] ?? '')
}

/** The beginning of a text as a status message. A short text is redacted later, with the row. */
function statusText(text: string): string {
	return text.length <= statusMaxChars ? text.toWellFormed() : redactedStart(text, statusMaxChars)
}

function contentOf(result: string): string[] {
	const { content } = JSON.parse(result) as { content?: unknown }
	if (!Array.isArray(content)) return []
	return content.flatMap((part) => {
		const { text } = (typeof part === 'object' && part !== null ? part : {}) as { text?: unknown }
		return typeof text === 'string' ? [text] : []
	})
}

const maxNames = 20
const plainName = /^[\w$.-]{1,64}$/

/** Typical texts of validators: `-32602`, and the words of the MCP SDKs, zod, pydantic, ajv, jsonschema and kotlinx.serialization. */
const validations = [
	/-32602|invalid[ _-]?(?:tool )?(?:input|arguments?|params|parameters)|validation error|must have required/i,
	/is a required property|missing (?:a )?required|required (?:argument|property) ["']|required for type with serial name/i,
	// The SDKs for Go, Rust and Java, mcp-go, and FastMCP for TypeScript.
	/validating "arguments"|(?:argument "[^"]{1,64}"|parameter [\w.$-]{1,64}) (?:must be|is not|cannot be|could not be) |failed to (?:deserialize parameters|bind arguments)/i,
	/(?:input|input schema|parameter) validation failed|into Go struct field|as an? \w{1,20} value at path: \$/,
]
/** They also have such words for a result that does not fit its schema, and for a tool that they no longer offer. */
const otherFault =
	/\boutput (?:schema )?validation|^(?:(?:MCP error )?-?\d{1,9}:? ){0,2}(?:unknown tool|tool (?:\S{1,130} )?(?:not found|disabled))/i
/** The values and permitted words in a message, which are no names: of pydantic, jsonschema, serde, zod, Java's SDK, mcp-go and kotlinx. */
const values = [
	/\[type=\w{1,64}, input_value=.{0,500}/g,
	/'[^'\n]{0,500}' is not (?:of type '\w{1,64}'|one of \[[^\]\n]{0,500}\])/g,
	/(?:invalid (?:type|value): |, expected ).{0,500}|unknown variant `[^`\n]{0,500}`/g,
	/expected one of (?:"[^"\n]{0,200}"\|?){1,50}|enumeration \[[^\]\n]{0,500}\]/g,
	/&\{Got:[^}\n]{0,500}\}|\nJSON input: .*/g,
]
/** A field of a model or struct. It need not be that of the arguments: a tool checks other data too. */
const modelFields = [
	/^([A-Za-z_$][\w$-]{0,63})(?:\.[\w$.-]{1,200})?\n {2}\S/gm,
	/(?:into Go struct field \w{0,64}|value at path: \$)\.([\w$-]{1,64})/g,
]
/** Where validators name an argument: a pointer, also into the schema; a colon, `at`, brackets or quotation marks. All is bounded. */
const mentions = [
	/(?:^|[\s:[])(?:data|arguments)?[./]([A-Za-z_$][\w$-]{0,63})(?:[./][\w$./-]{0,200})?(?: (?:must|should|is)\b|: )/g,
	/\/properties\/([A-Za-z_$][\w$-]{0,63})/g,
	/(?:required (?:argument|parameter)s?: |parameter (?=\S{1,64} (?:must|is not|could not) ))([\w$-]{1,64}(?:, [\w$-]{1,64}){0,20})/gi,
	/(?:^|[:,;] )([A-Za-z_$][\w$-]{0,63})(?:[.[][\w$.[\]-]{0,200})?(?=: )/gm,
	/ at ([A-Za-z_$][\w$-]{0,63})(?:[.[].{0,200})?$/gm,
	/(?:\[|, )([A-Za-z_$][\w$-]{0,63})(?=\]|, )/g,
	/(?:Missing|Properties):\[([\w$ -]{1,500})\]/g,
	/["'`]([A-Za-z_$][\w$-]{0,63})["'`]/g,
]

/**
 * The arguments that a server refused, by its error message: only names in the tool's schema or in the call, separated by commas.
 * '' if it names none; null if the call failed for another reason.
 */
function invalidArguments(text: string, names: readonly string[]): string | null {
	if (otherFault.test(text) || !validations.some((form) => form.test(text))) return null
	const known = new Set(names.filter((name) => plainName.test(name)))
	const plain = values.reduce((left, form) => left.replaceAll(form, ''), text)
	const namedBy = (forms: readonly RegExp[]) =>
		forms.flatMap((form) => [...plain.matchAll(form)].flatMap(([, found = '']) => found.split(/,? /)))
	const issues = namesInIssues(text)
	const fields = issues ?? namedBy(modelFields)
	if (fields.length > 0 && !fields.some((name) => known.has(name))) return null
	return [...new Set(issues ?? [...fields, ...namedBy(mentions)])]
		.filter((name) => known.has(name))
		.slice(0, maxNames)
		.join(',')
}

function unpacked(value: unknown): AttributeValue {
	if (typeof value === 'object' && value !== null && 'integer' in value) return BigInt(String(value.integer))
	return value as AttributeValue
}

/** The names in a list of issues, as zod and valibot write it in JSON: in its path, or as unknown keys. Null if there is none. */
function namesInIssues(text: string): string[] | null {
	const issues = parsedOrNull(text.slice(Math.max(0, text.search(/\[\s{0,40}\{/)), text.lastIndexOf(']') + 1))
	if (!Array.isArray(issues)) return null
	return issues.flatMap((issue) => {
		// The text is a server's, so anything may be in it.
		const { path, keys } = Object(issue)
		const [first] = Array.isArray(path) ? path : []
		const named = first === undefined ? keys : [first?.key ?? first]
		return Array.isArray(named) ? named.filter((name) => typeof name === 'string') : []
	})
}

function parsedOrNull(text: string): unknown {
	try {
		return JSON.parse(text)
	} catch {
		return null
	}
}
