import type { AttributeValue, SpanRow } from '../span-row.ts'
import type { Subject } from '../span-row-binary.ts'
import { clientOf, inCommonConventions } from './client-conventions.ts'
import { costOfSpan, noCost } from './cost.ts'
import { endsInError, errorTypeOf } from './exceptions.ts'
import { callsForTask, kindOf, namedByLogfire, onlyNamesModel, repeatsCall, sumsCalls } from './kind.ts'
import * as names from './names.ts'
import {
	first,
	firstInteger,
	firstText,
	type HotValues,
	hotKeyNumbers,
	mcpMethod,
	type Names,
	newHotValues,
	noHotValues,
	operation,
	ownKinds,
	parseObject,
	provider,
	system,
	tokens,
} from './names.ts'
import { modelOf } from './provider.ts'
import { noUsage, readUsage } from './usage.ts'

/** SDKs that otherwise follow the common conventions are recognised by their resource. */
const sdkDialects: ReadonlyMap<string, string> = new Map([
	['openlit', 'openlit'],
	['opentelemetry-openlit', 'openlit'],
])

const marks = [
	['langfuse', ownKinds.langfuse],
	['langfuse', tokens.exclusiveJson],
	['openinference', ownKinds.openinference],
	['netra', ownKinds.netra],
	['traceloop', ownKinds.traceloop],
	['traceloop', ownKinds.traceloopRequest],
	['laminar', ownKinds.laminar],
	['genkit', ownKinds.genkit],
	['mlflow', ownKinds.mlflow],
	['langsmith', ownKinds.langsmith],
	['posthog', ownKinds.posthog],
	['agentcat', ownKinds.agentcat],
	['braintrust', ownKinds.braintrust],
] as const

/** Dialects that are recognised by attributes which they add to the common conventions. */
const additions = [
	['logfire', ownKinds.logfire],
	['sentry', ownKinds.sentry],
	['langwatch', ownKinds.langwatch],
	['deepeval', ownKinds.deepeval],
] as const

/**
 * Whose conventions the attributes follow. `gen_ai` is the current generation of OpenTelemetry's, `gen_ai_1_36` the previous one
 * (`gen_ai.system`); '' where nothing is recognised.
 */
function dialectOf(values: HotValues, sdk: string): string {
	for (const [dialect, names] of marks) if (first(values, names) !== undefined) return dialect
	if (firstText(values, ownKinds.vercel).startsWith('ai.')) return 'vercel'
	const ofSdk = sdkDialects.get(sdk)
	if (ofSdk !== undefined) return ofSdk
	for (const [dialect, names] of additions) if (first(values, names) !== undefined) return dialect
	if (first(values, mcpMethod) !== undefined) return 'mcp'
	if (first(values, system) !== undefined) return 'gen_ai_1_36'
	if (first(values, operation) !== undefined || first(values, provider) !== undefined) return 'gen_ai'
	return ''
}

/** Increased whenever the same attributes are mapped to other columns. */
export const mapperVersion = 32

const otlpKinds = { server: 2, client: 3 } as const

/** The keys from which columns are derived, with their index in HotValues. */
export const mappedKeys = hotKeyNumbers()

/** The attributes from which columns are derived. */
export function hotValuesOf(attributes: Iterable<readonly [string, AttributeValue]>): HotValues {
	let hot = noHotValues
	for (const [key, value] of attributes) {
		const number = mappedKeys.get(key)
		if (number === undefined) continue
		if (hot === noHotValues) hot = newHotValues()
		hot[number] = value
	}
	return hot
}

/** Facts of a resource that apply to all of its spans. */
export interface ResourceFacts {
	serviceName: string
	sessionId: string
	userId: string
	agentName: string
	/** The program that sends, `name/version`. */
	program: string
	/** Name of the sending SDK. */
	sdk: string
	/** Name of the library that created the spans. */
	scope: string
}

/** Facts of a span apart from its attributes. */
interface SpanFacts {
	startNs: bigint
	/** See `SpanRow`. */
	otlpKind: number
	/** As set by the sender. */
	status: SpanRow['status']
	/** The type of the last recorded exception, or ''. Read only if a failed span has no error type. */
	exception(): string
	/** Read only if a library names the tool nowhere else. */
	name(): string
}

export function readResource(values: HotValues, scope: string): ResourceFacts {
	return {
		serviceName: firstText(values, names.service),
		sessionId: firstText(values, names.session),
		userId: firstText(values, names.user),
		agentName: firstText(values, names.agentName),
		program: programOf(firstText(values, names.service), firstText(values, names.serviceVersion)),
		sdk: firstText(values, names.sdk),
		scope,
	}
}

/** The columns that are derived from attributes. */
export type Mapped = Subject &
	Pick<SpanRow, 'kind' | 'status' | 'errorType' | 'dialect' | 'mapperVersion' | 'costSource' | 'ledger'>

/** Maps the attributes of a span in any dialect to columns. The attributes themselves are stored unchanged. */
export function mapAttributes(given: HotValues, resource: ResourceFacts, span: SpanFacts): Mapped {
	if (given === noHotValues) return plainOf(resource, span)
	const client = clientOf(given)
	const values = client === '' ? given : inCommonConventions(given, client)
	const dialect = client || dialectOf(values, resource.sdk)
	const textOf = dialect === 'mlflow' || dialect === 'langfuse' ? jsonText : firstText
	const method = methodOf(values, dialect)
	const ownTool = toolOfServer(values)
	const hasModel =
		first(values, names.modelRequested) !== undefined || first(values, names.model) !== undefined
	const found = kindOf(values, { method, tool: ownTool, hasModel })
	const isStep =
		found === 'model_call' && [repeatsCall, sumsCalls, onlyNamesModel].some((of) => of(values, dialect, span))
	const isTask = found === 'other' && callsForTask(values, dialect, span)
	const kind = isStep ? 'other' : isTask ? 'model_call' : found
	const usage = kind === 'model_call' ? readUsage(values, resource.scope, span.name) : noUsage
	const { provider, requested, served } = modelOf(values, { dialect, kind, textOf })
	const called = { provider, model: served || requested, usage, startNs: span.startNs }
	const failed =
		(kind === 'model_call' && endsInError(values, resource.scope)) || failedRun(values, dialect, span)
	const status = failed ? 'error' : span.status
	return {
		kind,
		status,
		errorType: errorTypeOf(values) || (status === 'error' ? span.exception() : ''),
		agentId: '',
		agentName: agentOf(values, resource.scope) || resource.agentName,
		serverId: '',
		serverName: firstText(values, names.serverName) || serverOfAgents(values),
		toolName: ownToolOf(kind, ownTool) || (kind === 'tool_call' ? toolOf(values, dialect, span) : ''),
		mcpMethod: method,
		credentialId: '',
		sessionId: sessionOf(values, textOf) || resource.sessionId,
		userId: textOf(values, names.user) || resource.userId,
		client:
			programOf(firstText(values, names.clientName), firstText(values, names.clientVersion)) ||
			(client !== '' || isCaller(kind, span.otlpKind) ? resource.program : ''),
		connection: '',
		provider,
		modelRequested: requested,
		model: served,
		inputTokens: usage.inputTokens,
		cacheReadTokens: usage.cacheReadTokens,
		cacheWriteTokens: usage.cacheWriteTokens,
		outputTokens: usage.outputTokens,
		reasoningTokens: usage.reasoningTokens,
		usageSource: kind === 'model_call' ? (usage.reported ? 'reported' : 'missing') : '',
		timeToFirstTokenNs:
			readNs(values, names.secondsToFirstChunk, 1e9) ??
			readNs(values, names.msToFirstChunk, 1e6) ??
			untilFirstToken(values) ??
			sinceStart(firstText(values, names.firstChunkAt), span.startNs),
		httpStatus: within(firstInteger(values, names.httpStatus), 0, 65_535),
		rpcCode: within(firstInteger(values, names.rpcCode), -(2 ** 31), 2 ** 31 - 1),
		requestBytes: 0,
		responseBytes: 0,
		dialect,
		mapperVersion,
		...(kind === 'model_call' ? costOfSpan(values, called) : noCost),
	}
}

const figures: ReadonlySet<number> = new Set(names.httpStatus)
/** Whether a key says nothing about what the span is about. */
export const isFigure = (key: number) => figures.has(key)

/**
 * Maps a span whose attributes say nothing about its subject. `plain` is the result for the last such span of the same origin, which
 * is reused.
 */
export function mapPlain(
	given: HotValues,
	resource: ResourceFacts,
	span: Outcome,
	plain: Mapped | undefined,
): Mapped {
	const mapped = plain ?? plainOf(resource, span)
	mapped.status = span.status
	mapped.errorType = span.status === 'error' ? span.exception() : ''
	mapped.httpStatus = within(firstInteger(given, names.httpStatus), 0, 65_535)
	return mapped
}

type Outcome = Pick<SpanFacts, 'status' | 'exception'>

/**
 * LangSmith sets the status to ok when a run begins, and OpenTelemetry ignores what it sets when the run has failed. Langfuse's SDK for
 * JavaScript reports an error as the level of an observation, and sets no status.
 */
function failedRun(values: HotValues, dialect: string, { status, exception }: Outcome): boolean {
	if (dialect === 'langfuse') return firstText(values, names.langfuseLevel) === 'ERROR'
	return dialect === 'langsmith' && status === 'ok' && exception() !== ''
}

function methodOf(values: HotValues, dialect: string): string {
	if (dialect === 'agentcat') return firstText(values, names.ownKinds.agentcat).replace(/^mcp:/, '')
	return firstText(values, names.mcpMethod)
}

/** Libraries that name a tool's span after the tool. */
const namesToolsBySpan: ReadonlySet<string> = new Set([
	...['langfuse', 'openinference', 'laminar', 'mlflow', 'langsmith', 'braintrust', 'langwatch', 'deepeval'],
])
/** The conventions' name of a tool's span: the operation or the method, then the tool. The client of MCP's Python SDK has a prefix. */
const conventionalName = /^(?:execute_tool|(?:MCP send )?tools\/call) (\S.*)$/

/** Mastra's name of a tool's span, which its exporter for Laminar keeps. */
const mastraName = /^(?:mcp_)?tool: '(.+?)'(?: on '.+')?$/

const crewScope = 'openinference.instrumentation.crewai'

/** Genkit names an agent as it names every action, and OpenInference has the role of CrewAI's agents as a node of a graph. */
function agentOf(values: HotValues, scope: string): string {
	const named = firstText(values, names.agentName) || namedByLogfire(values, 'agent')
	if (named !== '') return named
	if (firstText(values, ownKinds.genkit) === 'agent') return firstText(values, names.genkitName)
	const isAgent = scope === crewScope && firstText(values, ownKinds.openinference) === 'AGENT'
	return isAgent ? firstText(values, names.graphNode) : ''
}

/** The tool that a span names, without the server's name that Mastra puts before it. */
function toolOfServer(values: HotValues): string {
	const tool = firstText(values, names.toolName)
	const prefix = `${firstText(values, names.mastraServer)}_`
	return prefix.length > 1 && tool.startsWith(prefix) ? tool.slice(prefix.length) : tool
}

/** OpenLIT names the tool that an answer asks for in the span of the model call, which is no call of that tool. */
const ownToolOf = (kind: SpanRow['kind'], tool: string) => (kind === 'model_call' ? '' : tool)

function toolOf(values: HotValues, dialect: string, span: SpanFacts): string {
	if (dialect === 'agentcat') return firstText(values, names.agentcatResource)
	if (dialect === 'traceloop') return firstText(values, names.entityName)
	if (dialect === 'genkit') return firstText(values, names.genkitName)
	const reported = namedByLogfire(values, 'tool')
	if (reported !== '') return reported
	const name = span.name()
	if (namesToolsBySpan.has(dialect)) return mastraName.exec(name)?.[1] ?? name
	const isNamedSo = first(values, ownKinds.beside) !== undefined
	return conventionalName.exec(name)?.[1] ?? (isNamedSo ? name : '')
}

/** The id of an answer, which changes with each turn. */
const answerId = /^resp_\w{20,}$/

/** MCP's first revision without sessions. FastMCP reports an id of its own for each request of it. */
const withoutSessions = '2026-07-28'

/** Microsoft's Agent Framework reports the answer that a call continues as its conversation. */
function sessionOf(values: HotValues, textOf: typeof firstText): string {
	const reported = textOf(values, names.session)
	if (reported === '') return ''
	const ofRequest =
		firstText(values, names.mcp.revision) >= withoutSessions ? firstText(values, names.mcp.session) : ''
	const isSession = (text: string) => text !== '' && text !== ofRequest && !answerId.test(text)
	if (isSession(reported)) return reported
	return names.session.map((key) => textOf(values, [key])).find(isSession) ?? ''
}

/** OpenAI's Agents SDK, by way of Logfire: the MCP server of a tool. */
function serverOfAgents(values: HotValues): string {
	const { server } = parseObject(firstText(values, names.mcpData))
	return typeof server === 'string' ? server : ''
}

/** The value of an attribute that contains JSON, if that is a string: all of MLflow, and Langfuse's metadata from Python. */
function jsonText(values: HotValues, keys: Names): string {
	const text = firstText(values, keys)
	if (!text.startsWith('"')) return text
	try {
		return String(JSON.parse(text))
	} catch {
		return text
	}
}

function programOf(name: string, version: string): string {
	// The default of OpenTelemetry's SDKs for an unnamed service.
	if (name.startsWith('unknown_service')) return ''
	// Gemini CLI reports the version of Node.js as its own.
	if (name === 'gemini-cli' && version.startsWith('v')) return name
	return name !== '' && version !== '' ? `${name}/${version}` : name
}

/** Whether the program that recorded a span is the client of the operation. Many libraries call models in spans without a kind. */
function isCaller(kind: SpanRow['kind'], otlpKind: number): boolean {
	if (otlpKind === otlpKinds.client) return kind !== 'other'
	return kind === 'model_call' && otlpKind !== otlpKinds.server
}

function readNs(values: HotValues, keys: Names, perUnit: number): bigint | null {
	const text = firstText(values, keys)
	const ns = text === '' ? Number.NaN : Number(text) * perUnit
	return ns >= 0 && ns < 2 ** 63 ? BigInt(Math.round(ns)) : null
}

/** OpenLIT reports seconds, like the metric of that name, and Strands an integer number of milliseconds. */
function untilFirstToken(values: HotValues): bigint | null {
	const isWhole = typeof first(values, names.timeToFirstToken) === 'bigint'
	return readNs(values, names.timeToFirstToken, isWhole ? 1e6 : 1e9)
}

/** Time from the span's start to a date, which may be JSON; null if it is invalid or before the start. */
function sinceStart(date: string, startNs: bigint): bigint | null {
	const atMs = date === '' ? Number.NaN : Date.parse(date.replaceAll('"', ''))
	const ns = Number.isFinite(atMs) ? BigInt(Math.trunc(atMs)) * 1_000_000n - startNs : -1n
	return ns >= 0n && ns < 1n << 63n ? ns : null
}

function within(value: number | null, min: number, max: number): number | null {
	return value !== null && value >= min && value <= max ? value : null
}

/** FNV-1a. */
export function hashOf(bytes: Buffer, start: number, end: number): number {
	let hash = 0x811c9dc5 | 0
	for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193)
	return hash
}

const hotByHash = new Map(
	Array.from(mappedKeys, ([key, number]) => {
		const bytes = Buffer.from(key)
		return [hashOf(bytes, 0, bytes.length), { bytes, number }]
	}),
)
if (hotByHash.size !== mappedKeys.size) throw new Error('Two mapped keys share a hash.')

/** The number of a key from which columns are derived; -1 for any other. */
export function hotNumber(bytes: Buffer, hash: number, start: number, end: number): number {
	const hot = hotByHash.get(hash)
	if (hot === undefined || hot.bytes.length !== end - start) return -1
	for (let i = 0; i < hot.bytes.length; i++) if (hot.bytes[i] !== bytes[start + i]) return -1
	return hot.number
}

/** The columns of a span without attributes, whatever its resource says. */
const ofNothing = mapAttributes(newHotValues(), readResource(noHotValues, ''), {
	...{ startNs: 0n, otlpKind: 0, status: 'unset', exception: () => '', name: () => '' },
})

/** The columns of a span whose attributes say nothing about its subject. */
function plainOf({ agentName, sessionId, userId, sdk }: ResourceFacts, span: Outcome): Mapped {
	const errorType = span.status === 'error' ? span.exception() : ''
	return {
		...ofNothing,
		status: span.status,
		errorType,
		agentName,
		sessionId,
		userId,
		dialect: sdkDialects.get(sdk) ?? '',
	}
}
